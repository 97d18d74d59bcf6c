#pragma once
#include <functional>
#include <memory>
#include <optional>

#include "apps/train/account.hpp"
#include "apps/train/evaluation.hpp"

namespace pleiad {

/// How far a training is: all that is needed to go on, beside the tensors.
struct Position {
  Index steps = 0;            // done
  double epoch_loss = 0;      // of the epoch so far: sum over samples
  Index epoch_samples = 0;    // of the epoch so far
  double best_accuracy = -1;  // -1: not tested yet
};

/// What is known after a step that is worth a line.
struct Row {
  Index step = 0, samples = 0;  // since the start of the training
  double epoch = 0;
  double loss = 0;        // of the step
  double epoch_loss = 0;  // mean over the epoch so far
  double lr = 0;
  std::optional<double> grad_norm;
  Account account;  // since the last row
  std::optional<Score> score;
};

/// What happens beside the steps. `row`: every log.every, or else after the first second and then every some seconds;
/// and after every test.
struct Observer {
  std::function<void(const Row&)> row;
  std::function<void(const Position&)> checkpoint;
};

/// Why `train` returned.
enum class Ending : std::uint8_t { finished, signal };

/// The loop over steps. Holds the executor, and with it parameters and optimizer state.
class Training {
 public:
  /// Everything given must outlive it. `evaluation` may be null.
  Training(const Config&, const Dataset&, const Model&, Executor&, Evaluation* evaluation);

  Index total_steps() const { return total_steps_; }
  Index steps_per_epoch() const { return feed_.loader().steps_per_epoch(); }
  Position& position() { return position_; }
  Index samples_seen() const { return feed_.loader().samples_before(position_.steps); }
  double last_lr() const;
  /// Of the last test in this process.
  const std::optional<Score>& last_score() const { return last_score_; }

  /// Runs until all steps are done or a signal asks to stop (the step under way is finished first). Throws Error
  /// (Exit::diverged) when the loss is no longer finite.
  Ending run(const Observer&);
  /// Of all steps run so far, in this process.
  const Account& account() const { return total_; }
  /// Median time of a step's task graph, in milliseconds.
  double median_step_ms() const;

 private:
  void step();
  bool row_is_due(double seconds) const;
  bool test_is_due() const;
  bool checkpoint_is_due(double seconds) const;
  Row row() const;
  Score test();
  void emit(const Observer&, const std::optional<Score>&);
  void count(double loss, Index samples);
  void check_finite(double loss) const;

  const Config* config_;
  const Model* model_;
  Executor* executor_;
  Evaluation* evaluation_;
  Feed feed_;
  Index total_steps_;
  Position position_;
  Account since_row_, total_;
  std::vector<float> step_ms_;
  double last_loss_ = 0;
  std::optional<Score> last_score_;
  double last_row_ = 0, last_checkpoint_ = 0;  // seconds since the loop began
  Index last_checkpoint_step_ = 0;
  bool any_row_ = false;
};

}  // namespace pleiad
