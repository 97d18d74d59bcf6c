// Times the training step of a multilayer perceptron on all cores and prints one JSON object: medians, prediction,
// where the time went, and the share of the matrix-product rate of one core times the workers.
//
//   step_bench WIDTHS BATCH STEPS [--picture FILE.svg]      step_bench 784-512-256-10 128 200
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <string_view>

#include "apps/config/environment.hpp"
#include "apps/train/account.hpp"
#include "apps/train/engine.hpp"
#include "apps/train/machine.hpp"
#include "apps/train/model.hpp"
#include "apps/train/saving.hpp"
#include "graph/planner.hpp"
#include "step_picture.hpp"

namespace pleiad {
namespace {

std::vector<Index> widths_of(std::string_view text) {
  std::vector<Index> widths;
  while (!text.empty()) {
    const auto dash = std::min(text.find('-'), text.size());
    widths.push_back(std::stoll(std::string(text.substr(0, dash))));
    text.remove_prefix(std::min(dash + 1, text.size()));
  }
  return widths;
}

void write_random_batch(Executor& executor, const Model& model) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(0, 1);
  std::vector<float> x(static_cast<std::size_t>(model.graph()[model.net.x].shape.volume()));
  for (float& v : x) v = uniform(random);
  std::vector<std::int32_t> labels(static_cast<std::size_t>(model.graph()[model.net.labels].shape.volume()));
  for (auto& l : labels) l = static_cast<std::int32_t>(random() % 10);
  executor.write(model.net.x, std::as_bytes(std::span(x)));
  executor.write(model.net.labels, std::as_bytes(std::span(labels)));
}

double median(std::vector<double> v) {
  std::ranges::nth_element(v, v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2));
  return v[v.size() / 2];
}

/// Multiplications and additions of all matrix products of a step: forward, and two backward but for the first layer.
double gemm_flops(const std::vector<Index>& widths, Index batch) {
  double flops = 0;
  for (std::size_t l = 0; l + 1 < widths.size(); ++l)
    flops += (l == 0 ? 4.0 : 6.0) * static_cast<double>(batch * widths[l] * widths[l + 1]);
  return flops;
}

int run(const std::vector<Index>& widths, Index batch, int steps, const std::string& picture) {
  Config config;
  config.model.hidden.assign(widths.begin() + 1, widths.end() - 1);
  config.train.batch = batch;
  const Model model = training_model(config, {{widths.front()}, widths.back()}, batch);
  const auto cores = worker_cores(config.machine);
  const auto home = read_environment().home;
  const Machine machine = measured_machine(static_cast<int>(cores.size()), home);
  KernelTimes times((model_folder(home, machine) / "kernels.json").string());
  times.load();
  PlanRequest request;
  request.keep = model.results();
  const Planned planned = make_plan(model.graph(), model.classes, machine, times, request);
  times.save();
  Engine engine(config, cores, (model_folder(home, machine) / "starpu").string());
  StarpuExecutor executor(*engine.session(), model.graph(), planned.tasks);
  initialise(config, model, executor);
  write_random_batch(executor, model);
  executor.keep_timeline(!picture.empty());
  Account account;
  std::vector<double> step_us;
  for (int s = 0; s < steps + 10; ++s) {
    executor.step({.number = s + 1, .lr = 1e-3, .seed = 1});
    const StepReport& report = executor.last_step();
    if (s < 10) continue;  // warm-up
    account.add(report, report.step_us * 1e-6, batch);
    step_us.push_back(report.step_us);
    if (!picture.empty() && report.step_us <= median(step_us)) std::ofstream(picture) << step_picture(planned, report);
  }
  const double measured = median(step_us), predicted = planned.estimate.step_us;
  const double peak = machine.workers[0].flops * static_cast<double>(cores.size());
  fmt::print(
      "{{\"widths\": \"{}\", \"batch\": {}, \"tasks\": {}, \"tiles\": {}, \"step_us\": {:.1f}, \"predicted_us\": "
      "{:.1f}, "
      "\"error_percent\": {:.1f}, \"busy\": {:.3f}, \"scheduling\": {:.3f}, \"gemm_share_of_peak\": {:.3f}}}\n",
      fmt::join(widths, "-"), batch, planned.tasks.tasks.size(),
      planned.plan.numerics.cuts.contains("batch") ? planned.plan.numerics.cuts.at("batch").tiles() : 1, measured,
      predicted, 100 * (predicted / measured - 1), account.busy_share(), account.scheduling_share(),
      gemm_flops(widths, batch) / (measured * 1e-6) / peak);
  return 0;
}

}  // namespace
}  // namespace pleiad

int main(int argc, char** argv) {
  const bool with_picture = argc == 6 && std::string_view(argv[4]) == "--picture";
  if (argc != 4 && !with_picture) {
    fmt::print(stderr, "usage: step_bench WIDTHS BATCH STEPS [--picture FILE.svg]\n");
    return 2;
  }
  return pleiad::run(pleiad::widths_of(argv[1]), std::stoll(argv[2]), std::stoi(argv[3]), with_picture ? argv[5] : "");
}
