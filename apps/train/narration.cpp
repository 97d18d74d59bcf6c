#include "apps/train/narration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "apps/config/model_keys.hpp"

namespace pleiad {
namespace {

double wall_ms(const Account& a) { return 1e3 * a.wall / static_cast<double>(a.steps); }

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

/// "2 x 64", "100 + 28", "1 x 128".
std::string tiles_text(const Planned& planned, Index batch) {
  const auto cut = planned.plan.numerics.cuts.find("batch");
  if (cut == planned.plan.numerics.cuts.end()) return fmt::format("1 x {}", batch);
  std::map<Index, Index, std::greater<>> count;
  const auto& bounds = cut->second.bounds;
  for (std::size_t i = 1; i < bounds.size(); ++i) ++count[bounds[i] - bounds[i - 1]];
  std::string text;
  for (auto [size, n] : count) text += fmt::format("{}{} x {}", text.empty() ? "" : " + ", n, size);
  return text;
}

/// "784-512-256-10", "16-32-64, 1 block each", "4 layers of 256, 8 heads, context 256".
std::string describe_layers(const ModelConfig& m, const DataShape& data) {
  if (m.kind == "mlp") {
    std::string widths = fmt::format("{}-", data.sample.volume());
    for (Index h : m.hidden) widths += fmt::format("{}-", h);
    return fmt::format("{}{}", widths, data.classes);
  }
  if (m.kind == "cnn")
    return fmt::format("{}, {} block{} each", fmt::join(m.channels, "-"), m.blocks, m.blocks > 1 ? "s" : "");
  return fmt::format("{} layer{} of {}{}, context {}", m.layers, m.layers > 1 ? "s" : "", m.width,
                     matters(m, "model.heads") ? fmt::format(", {} heads", m.heads) : "", m.context);
}

}  // namespace

Progress console_row(const Row& r, double predicted_ms) {
  return {.step = r.step,
          .epoch = r.epoch,
          .loss = r.epoch_loss,
          .accuracy = r.score ? std::optional(r.score->accuracy) : std::nullopt,
          .lr = r.lr,
          .samples_per_s = r.account.samples_per_second(),
          .step_ms = wall_ms(r.account),
          .pred_ms = predicted_ms,
          .busy = r.account.busy_share()};
}

MetricsRow metrics_row(const Row& r, double predicted_ms, Index segment, const std::vector<std::string>& workers) {
  MetricsRow m;
  m.segment = segment;
  m.step = r.step;
  m.epoch = r.epoch;
  m.samples = r.samples;
  m.loss = r.loss;
  m.lr = r.lr;
  m.gnorm = r.grad_norm;
  if (r.score) m.val_loss = r.score->loss, m.val_accuracy = r.score->accuracy;
  m.step_ms = wall_ms(r.account);
  m.pred_ms = predicted_ms;
  m.samples_per_s = r.account.samples_per_second();
  m.moved_mb = r.account.moved_bytes * 1e-6;
  const Account& a = r.account;
  for (std::size_t w = 0; w < workers.size() && w < a.busy_by_worker.size(); ++w)
    m.busy[workers[w]] = a.busy_by_worker[w] / a.wall;
  for (std::size_t w = 0; w < workers.size() && w < a.tasks_by_worker.size(); ++w) {
    m.tasks[workers[w]] = a.tasks_by_worker[w];
    if (workers[w].starts_with("cpu")) continue;
    m.in_mb[workers[w]] = a.in_by_worker[w] * 1e-6;
    m.out_mb[workers[w]] = a.out_by_worker[w] * 1e-6;
  }
  return m;
}

std::string describe_model(const Config& config, const Model& model, const DataShape& data) {
  const Index n = model.parameters();
  return fmt::format("{} {}: {} parameters ({})", config.model.kind, describe_layers(config.model, data),
                     with_commas(static_cast<double>(n)),
                     size_text(static_cast<double>(n) * static_cast<double>(size_of(config.numerics.dtype))));
}

std::string describe_plan(const Planned& planned, Index batch, const std::string& policy) {
  const double grain = planned.plan.placement.grain_us;
  return fmt::format("batch {} as {} · {} tasks a step{} · policy {}", batch, tiles_text(planned, batch),
                     planned.tasks.tasks.size(), grain > 0 ? fmt::format(", fused up to {:.0f} us", grain) : "",
                     policy);
}

std::string describe_memory(const Planned& planned, const Machine& machine, double share) {
  return fmt::format("{} of {}", size_text(static_cast<double>(planned.memory.total_bytes())),
                     size_text(static_cast<double>(usable_bytes(machine, share))));
}

std::string describe_prediction(double step_ms, Index steps_per_epoch, Index steps_left) {
  return fmt::format("{:.2f} ms a step, {} steps an epoch, about {} for {} steps", step_ms,
                     with_commas(static_cast<double>(steps_per_epoch)),
                     duration_text(step_ms * 1e-3 * static_cast<double>(steps_left)),
                     with_commas(static_cast<double>(steps_left)));
}

std::string describe_time(const Account& a, double predicted_ms, double measured_ms) {
  return fmt::format("busy {} · waiting {} · scheduling {} · step predicted {:.2f} ms, measured {:.2f} ms ({:+.1f} %)",
                     percent(a.busy_share()), percent(a.waiting_share()), percent(a.scheduling_share()), predicted_ms,
                     measured_ms, 100 * (predicted_ms / measured_ms - 1));
}

std::string describe_devices(const Account& a, const std::vector<std::string>& workers) {
  std::string text;
  for (std::size_t w = 0; w < workers.size() && w < a.tasks_by_worker.size(); ++w) {
    text += fmt::format("{}{} {} tasks", w == 0 ? "" : " · ", workers[w], with_commas(a.tasks_by_worker[w]));
    if (!workers[w].starts_with("cpu"))
      text += fmt::format(", {} in, {} out", size_text(a.in_by_worker[w]), size_text(a.out_by_worker[w]));
  }
  return text;
}

std::string duration_text(double seconds) {
  const auto s = static_cast<Index>(std::lround(seconds));
  if (s < 60) return fmt::format("{:.1f} s", seconds);
  if (s < 3600) return fmt::format("{} min {} s", s / 60, s % 60);
  return fmt::format("{} h {} min", s / 3600, s / 60 % 60);
}

std::string size_text(double bytes) {
  constexpr double kMiB = 1024.0 * 1024;
  return bytes < 1024 * kMiB ? fmt::format("{:.1f} MiB", bytes / kMiB) : fmt::format("{:.1f} GiB", bytes / kMiB / 1024);
}

}  // namespace pleiad
