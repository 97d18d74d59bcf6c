#include "apps/train/training.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "apps/train/learning_rate.hpp"
#include "apps/train/signals.hpp"
#include "apps/train/tensors.hpp"

namespace pleiad {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kFirstRowSeconds = 1;
constexpr double kTerminalRowSeconds = 6, kFileRowSeconds = 10;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

bool period_is_over(const Period& period, Index steps, double seconds) {
  return (period.steps > 0 && steps >= period.steps) || (period.time.seconds > 0 && seconds >= period.time.seconds);
}

/// Times of StarPU's last step; without StarPU one worker was busy all the time.
StepReport report_of(const Executor& executor, double step_seconds) {
  if (const auto* starpu = dynamic_cast<const StarpuExecutor*>(&executor)) return starpu->last_step();
  StepReport report;
  report.step_us = step_seconds * 1e6;
  report.busy_us = {report.step_us};
  report.overhead_us = {0};
  return report;
}

}  // namespace

Training::Training(const Config& config, const Dataset& data, const Model& model, Executor& executor,
                   Evaluation* evaluation)
    : config_(&config),
      model_(&model),
      executor_(&executor),
      evaluation_(evaluation),
      feed_(data, model, config.run.seed, config.data.shuffle),
      total_steps_(config.train.steps > 0 ? config.train.steps : config.train.epochs * steps_per_epoch()) {}

void Training::step() {
  const auto start = Clock::now();
  const Index samples = feed_.write(*executor_, position_.steps);
  const Index number = position_.steps + 1;
  const auto fed = Clock::now();
  executor_->step({.number = number,
                   .lr = learning_rate(config_->optim, number, total_steps_),
                   .seed = static_cast<std::uint64_t>(config_->run.seed)});
  const StepReport report = report_of(*executor_, seconds_since(fed));
  const double loss = read_scalar(*executor_, model_->graph(), model_->net.out.loss);
  check_finite(loss);
  count(loss, samples);
  since_row_.add(report, seconds_since(start), samples);
  step_ms_.push_back(static_cast<float>(report.step_us * 1e-3));
}

void Training::count(double loss, Index samples) {
  if (position_.steps % steps_per_epoch() == 0) position_.epoch_loss = 0, position_.epoch_samples = 0;
  ++position_.steps;
  position_.epoch_loss += loss * static_cast<double>(samples);
  position_.epoch_samples += samples;
  last_loss_ = loss;
}

void Training::check_finite(double loss) const {
  if (std::isfinite(loss)) return;
  throw Error(Exit::diverged, fmt::format("diverged: the loss of step {} is {}\ntry a smaller --optim.lr (now {}), "
                                          "--optim.warmup, or --train.grad_clip 1",
                                          position_.steps + 1, loss, config_->optim.lr));
}

bool Training::row_is_due(double seconds) const {
  const double since = seconds - last_row_;
  if (config_->log.every) return period_is_over(*config_->log.every, since_row_.steps, since);
  if (!any_row_) return seconds >= kFirstRowSeconds;
  return since >= (isatty(STDOUT_FILENO) ? kTerminalRowSeconds : kFileRowSeconds);
}

bool Training::test_is_due() const {
  const Index every = config_->train.eval_every > 0 ? config_->train.eval_every : steps_per_epoch();
  return evaluation_ && (position_.steps % every == 0 || position_.steps == total_steps_);
}

bool Training::checkpoint_is_due(double seconds) const {
  return period_is_over(config_->checkpoint.every, position_.steps - last_checkpoint_step_, seconds - last_checkpoint_);
}

Row Training::row() const {
  Row r;
  r.step = position_.steps;
  r.samples = feed_.loader().samples_before(position_.steps);
  r.epoch = static_cast<double>(position_.steps) / static_cast<double>(steps_per_epoch());
  r.loss = last_loss_;
  r.epoch_loss = position_.epoch_loss / static_cast<double>(position_.epoch_samples);
  r.lr = last_lr();
  if (model_->grad_norm.id >= 0) r.grad_norm = read_scalar(*executor_, model_->graph(), model_->grad_norm);
  r.account = since_row_;
  return r;
}

Score Training::test() {
  const Score score = evaluation_->run([&](const Tensor& wanted) {
    for (Sym p : model_->tensors_of(Kind::param))
      if (model_->graph()[p].name == wanted.name) return read_tensor(*executor_, model_->graph(), p);
    throw Error(Exit::internal, fmt::format("no parameter {}", wanted.name));
  });
  position_.best_accuracy = std::max(position_.best_accuracy, score.accuracy);
  last_score_ = score;
  return score;
}

void Training::emit(const Observer& observer, const std::optional<Score>& score) {
  Row r = row();
  r.score = score;
  observer.row(r);
  total_.add(since_row_);
  since_row_ = {};
  any_row_ = true;
}

Ending Training::run(const Observer& observer) {
  const auto start = Clock::now();
  last_checkpoint_step_ = position_.steps;
  while (position_.steps < total_steps_ && StopSignals::received() == 0) {
    step();
    const double now = seconds_since(start);
    const std::optional<Score> score = test_is_due() ? std::optional(test()) : std::nullopt;
    if (score || row_is_due(now)) {
      emit(observer, score);
      last_row_ = seconds_since(start);
    }
    if (position_.steps < total_steps_ && checkpoint_is_due(now)) {
      observer.checkpoint(position_);
      last_checkpoint_ = seconds_since(start);
      last_checkpoint_step_ = position_.steps;
    }
  }
  if (since_row_.steps > 0) emit(observer, {});
  return position_.steps < total_steps_ ? Ending::signal : Ending::finished;
}

double Training::last_lr() const { return learning_rate(config_->optim, position_.steps, total_steps_); }

double Training::median_step_ms() const {
  if (step_ms_.empty()) return 0;
  auto sorted = step_ms_;
  std::ranges::nth_element(sorted, sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2));
  return static_cast<double>(sorted[sorted.size() / 2]);
}

}  // namespace pleiad
