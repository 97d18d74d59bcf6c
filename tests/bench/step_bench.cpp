// Times a network's training step on all cores and prints one JSON object: medians, prediction, where the time went,
// and the machine's floor for it: every kernel at the measured rates of products and copies, spread evenly over the
// workers.
//
//   step_bench [--sample 28x28] [--classes 10] [--steps 100] [--losses N] [--weights FILE] [--picture FILE.svg] KEYS
//
// KEYS are those of pleiad train: --model.kind gpt2 --train.batch 8. The batch is a formula of the element number
// alone, and --weights writes the initial weights, so that another program can do the same step; --losses prints the
// losses of the first N steps on that batch.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <string_view>

#include "apps/checkpoint/safetensors.hpp"
#include "apps/config/environment.hpp"
#include "apps/config/model_keys.hpp"
#include "apps/config/resolve.hpp"
#include "apps/train/account.hpp"
#include "apps/train/engine.hpp"
#include "apps/train/machine.hpp"
#include "apps/train/model.hpp"
#include "apps/train/saving.hpp"
#include "apps/train/tensors.hpp"
#include "graph/planner.hpp"
#include "step_picture.hpp"

namespace pleiad {
namespace {

/// The program's own flags, and the rest as settings of the config.
struct Words {
  std::map<std::string, std::string> own = {{"sample", "28x28"}, {"classes", "10"}, {"steps", "100"},
                                            {"losses", "0"},     {"weights", ""},   {"picture", ""}};
  std::vector<Setting> settings;

  Index number(const char* name) const { return std::stoll(own.at(name)); }
};

Words parse(int argc, char** argv) {
  Words words;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = std::string(argv[i]).substr(2);
    if (words.own.contains(name))
      words.own[name] = argv[i + 1];
    else
      words.settings.push_back({name, argv[i + 1]});
  }
  return words;
}

Shape shape_of(std::string_view text) {
  Shape shape;
  while (!text.empty()) {
    const auto x = std::min(text.find('x'), text.size());
    shape.push_back(std::stoll(std::string(text.substr(0, x))));
    text.remove_prefix(std::min(x + 1, text.size()));
  }
  return shape;
}

/// Knuth's multiplicative hash of the element number.
std::uint32_t mixed(std::size_t i) { return (static_cast<std::uint32_t>(i) + 1) * 2654435761u; }

template <class T, class F>
std::vector<T> elements(const Shape& shape, F f) {
  std::vector<T> values(static_cast<std::size_t>(shape.volume()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = f(i);
  return values;
}

std::vector<std::int32_t> ids(const Shape& shape, std::uint32_t classes, std::size_t first) {
  return elements<std::int32_t>(
      shape, [=](std::size_t i) { return static_cast<std::int32_t>((mixed(i + first) >> 7) % classes); });
}

void write_batch(Executor& executor, const Model& model, Index classes) {
  const Tensor& x = model.graph()[model.net.x];
  const Tensor& labels = model.graph()[model.net.labels];
  const auto write = [&](Sym s, const auto& values) { executor.write(s, std::as_bytes(std::span(values))); };
  if (x.dtype == DType::i32)
    write(model.net.x, ids(x.shape, static_cast<std::uint32_t>(classes), 0));
  else
    executor.write(
        model.net.x,
        converted(elements<float>(x.shape, [](std::size_t i) { return static_cast<float>(mixed(i)) * 0x1p-32f; }),
                  x.dtype));
  write(model.net.labels, ids(labels.shape, static_cast<std::uint32_t>(classes), 1));
}

double median(std::vector<double> v) {
  std::ranges::nth_element(v, v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2));
  return v[v.size() / 2];
}

double flops(const TaskGraph& g) {
  double sum = 0;
  for (const Task& t : g.tasks)
    for (const KernelCall& c : t.calls) sum += c.cost.flops;
  return sum;
}

/// No step is shorter: all flops at the rate of a large product, or parameters and optimizer state read and written
/// once.
double floor_us(const Planned& planned, const Machine& machine) {
  const Worker& worker = cpu_worker(machine);
  const auto workers = static_cast<double>(machine.workers.size());
  const auto bytes = 2 * static_cast<double>(planned.memory.parameters_bytes);
  return 1e6 / workers * std::max(flops(planned.tasks) / worker.flops, bytes / worker.bandwidth);
}

/// Where the time goes: for each op its share of all kernel time by the measured times of its kernels, and its rates.
std::string profile(const TaskGraph& g) {
  struct Sum {
    double us = 0;
    Cost cost;
  };
  std::map<std::string_view, Sum> ops;
  double all_us = 0;
  for (const Task& t : g.tasks)
    for (const KernelCall& c : t.calls) {
      Sum& sum = ops[c.op->name];
      sum.us += c.predicted_us;
      sum.cost.flops += c.cost.flops;
      sum.cost.bytes += c.cost.bytes;
      all_us += c.predicted_us;
    }
  std::vector<std::pair<std::string_view, Sum>> sorted(ops.begin(), ops.end());
  std::ranges::sort(sorted, std::greater<>{}, [](const auto& op) { return op.second.us; });
  std::string text;
  for (const auto& [name, sum] : sorted)
    text +=
        fmt::format("{}\"{}\": {{\"share\": {:.3f}, \"gflop_s\": {:.1f}, \"gb_s\": {:.1f}}}", text.empty() ? "" : ", ",
                    name, sum.us / all_us, 1e-3 * sum.cost.flops / sum.us, 1e-3 * sum.cost.bytes / sum.us);
  return text;
}

void save_weights(const std::string& file, const Model& model, const Executor& executor) {
  std::vector<std::vector<std::byte>> data;
  std::vector<NamedTensor> tensors;
  for (Sym p : model.tensors_of(Kind::param)) data.push_back(read_tensor(executor, model.graph(), p));
  std::size_t i = 0;
  for (Sym p : model.tensors_of(Kind::param))
    tensors.push_back({model.graph()[p].name, model.graph()[p].dtype, model.graph()[p].shape, data[i++]});
  write_safetensors(file, tensors);
}

std::size_t batch_tiles(const Plan& plan) {
  const auto cut = plan.numerics.cuts.find("batch");
  return cut == plan.numerics.cuts.end() ? 1 : cut->second.tiles();
}

int run(const Words& words) {
  const Config config = resolve("", words.settings).config;
  const DataShape data{context_of(config.model) > 0 ? Shape{config.model.context} : shape_of(words.own.at("sample")),
                       words.number("classes")};
  const Model model = training_model(config, data, config.train.batch);
  const WorkerChoice workers = choose_workers(config);
  const auto home = read_environment().home;
  const Machine machine = measured_machine(workers, home);
  KernelTimes times((model_folder(home, machine) / "kernels.json").string());
  times.load();
  PlanRequest request;
  request.keep = model.results();
  request.budget_us = 2e7;
  const Planned planned = make_plan(model.graph(), model.classes, machine, times, request);
  times.save();
  Engine engine(config, workers, machine, (model_folder(home, machine) / "starpu").string());
  StarpuExecutor executor(*engine.session(), model.graph(), planned.tasks);
  initialise(config, model, executor);
  if (!words.own.at("weights").empty()) save_weights(words.own.at("weights"), model, executor);
  write_batch(executor, model, data.classes);
  const std::string& picture = words.own.at("picture");
  executor.keep_timeline(!picture.empty());
  const Index warm_up = std::min<Index>(10, words.number("steps") / 2), steps = words.number("steps") + warm_up;
  Account account;
  std::vector<double> step_us, losses;
  for (Index s = 0; s < steps; ++s) {
    executor.step({.number = s + 1, .lr = config.optim.lr, .seed = 1});
    const StepReport& report = executor.last_step();
    if (s < words.number("losses")) losses.push_back(read_scalar(executor, model.graph(), model.net.out.loss));
    if (s < warm_up) continue;
    account.add(report, report.step_us * 1e-6, config.train.batch);
    step_us.push_back(report.step_us);
    if (!picture.empty() && report.step_us <= median(step_us)) std::ofstream(picture) << step_picture(planned, report);
  }
  const double measured = median(step_us), predicted = planned.estimate.step_us;
  fmt::print(
      "{{\"model\": \"{}\", \"parameters\": {}, \"batch\": {}, \"tasks\": {}, \"tiles\": {}, \"step_us\": {:.1f}, "
      "\"predicted_us\": {:.1f}, \"error_percent\": {:.1f}, \"busy\": {:.3f}, \"scheduling\": {:.3f}, "
      "\"gflop\": {:.3f}, \"floor_us\": {:.1f}, \"times_floor\": {:.2f}, \"losses\": [{:.6f}], \"profile\": {{{}}}}}\n",
      config.model.kind, model.parameters(), config.train.batch, planned.tasks.tasks.size(), batch_tiles(planned.plan),
      measured, predicted, 100 * (predicted / measured - 1), account.busy_share(), account.scheduling_share(),
      flops(planned.tasks) * 1e-9, floor_us(planned, machine), measured / floor_us(planned, machine),
      fmt::join(losses, ", "), profile(planned.tasks));
  return 0;
}

}  // namespace
}  // namespace pleiad

int main(int argc, char** argv) {
  try {
    return pleiad::run(pleiad::parse(argc, argv));
  } catch (const pleiad::Error& e) {
    fmt::print(stderr, "{}\n", e.what());
    return static_cast<int>(e.exit());
  }
}
