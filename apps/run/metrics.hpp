#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "apps/run/file.hpp"
#include "codelets/base/shape.hpp"

namespace pleiad {

/// One line of metrics.jsonl. What is not set is left out; a number that is not finite becomes null.
struct MetricsRow {
  Index segment = 0, step = 0;
  double epoch = 0;
  Index samples = 0;
  double loss = 0, lr = 0;
  std::optional<double> gnorm = {}, val_loss = {}, val_accuracy = {};
  double step_ms = 0;
  std::optional<double> pred_ms = {}, samples_per_s = {}, moved_mb = {};
  std::map<std::string, double> busy = {};                // share of time, by device
  std::map<std::string, double> tasks = {};               // run since the last line, by device
  std::map<std::string, double> in_mb = {}, out_mb = {};  // moved since then into and out of the memory of each GPU
  std::map<std::string, double> peak_mb = {};             // by memory
};

/// Details of an event: {"step", 400}, {"path", "ckpt/step-000400"}.
using EventFields = std::map<std::string, std::variant<Index, double, std::string>>;

/// Appends to metrics.jsonl and events.jsonl of a run, a whole line or none. Error (data) if the disk fails.
class RunLog {
 public:
  explicit RunLog(const std::filesystem::path& run);
  void metrics(const MetricsRow& row);
  /// Kinds: start, checkpoint, signal, resume, warning, stop, and the like.
  void event(std::string_view kind, const EventFields& fields = {});

 private:
  OutputFile metrics_, events_;
};

/// Moves the lines of metrics.jsonl with a step beyond this one to metrics.rewound.jsonl. A last line that a crash cut
/// off is dropped.
void rewind_metrics(const std::filesystem::path& run, Index step);

}  // namespace pleiad
