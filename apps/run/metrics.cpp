#include "apps/run/metrics.hpp"

#include <chrono>
#include <nlohmann/json.hpp>

namespace pleiad {
namespace {

using Json = nlohmann::ordered_json;

double now_s() {
  const auto ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch());
  return static_cast<double>(ms.count()) / 1000;
}

std::string line_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; }

void put(Json& json, const char* name, const std::optional<double>& value) {
  if (value) json[name] = *value;
}

void put(Json& json, const char* name, const std::map<std::string, double>& values) {
  if (!values.empty()) json[name] = values;
}

/// Step of a line; nothing if it is not a whole line of metrics.
std::optional<Index> step_of(std::string_view line) {
  const auto json = Json::parse(line, nullptr, false);
  if (!json.is_object() || !json.contains("step") || !json["step"].is_number_integer()) return {};
  return json["step"].get<Index>();
}

}  // namespace

RunLog::RunLog(const std::filesystem::path& run)
    : metrics_(run / "metrics.jsonl", OutputFile::Mode::append),
      events_(run / "events.jsonl", OutputFile::Mode::append) {}

void RunLog::metrics(const MetricsRow& row) {
  Json json = {{"t", now_s()},           {"seg", row.segment}, {"step", row.step}, {"epoch", row.epoch},
               {"samples", row.samples}, {"loss", row.loss},   {"lr", row.lr}};
  put(json, "gnorm", row.gnorm);
  put(json, "val_loss", row.val_loss);
  put(json, "val_acc", row.val_accuracy);
  json["step_ms"] = row.step_ms;
  put(json, "pred_ms", row.pred_ms);
  put(json, "samples_s", row.samples_per_s);
  put(json, "busy", row.busy);
  put(json, "tasks", row.tasks);
  put(json, "in_mb", row.in_mb);
  put(json, "out_mb", row.out_mb);
  put(json, "moved_mb", row.moved_mb);
  put(json, "peak_mb", row.peak_mb);
  metrics_.append_whole(line_of(json));
}

void RunLog::event(std::string_view kind, const EventFields& fields) {
  Json json = {{"t", now_s()}, {"event", kind}};
  for (const auto& [name, value] : fields) std::visit([&, &key = name](const auto& v) { json[key] = v; }, value);
  events_.append_whole(line_of(json));
}

void rewind_metrics(const std::filesystem::path& run, Index step) {
  const auto file = run / "metrics.jsonl";
  if (!std::filesystem::exists(file)) return;
  const auto text = read_file(file);
  std::string kept, rewound;
  for (std::size_t begin = 0, end = 0; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const auto line = text.substr(begin, end + 1 - begin);
    if (const auto at = step_of(line)) (*at <= step ? kept : rewound) += line;
  }
  if (kept.size() == text.size()) return;
  OutputFile(run / "metrics.rewound.jsonl", OutputFile::Mode::append).append_whole(rewound);
  write_file_atomically(file, kept);
}

}  // namespace pleiad
