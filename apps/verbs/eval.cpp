#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apps/cli/message.hpp"
#include "apps/config/environment.hpp"
#include "apps/config/model_keys.hpp"
#include "apps/data/load.hpp"
#include "apps/doctor/built_for.hpp"
#include "apps/train/evaluation.hpp"
#include "apps/train/machine.hpp"
#include "apps/verbs/trained.hpp"
#include "apps/verbs/verbs.hpp"

namespace pleiad {
namespace {

void check_fits(const LoadedCheckpoint& from, const Dataset& data) {
  if (data.width() == from.card.sample_shape.volume() && data.classes <= from.card.classes) return;
  throw Error(Exit::data,
              fmt::format("{}: samples are {} in {} classes, the network is for {} in {}\ngive data of that "
                          "shape with --data.train or --data.val",
                          data.name, to_string(data.sample_shape), data.classes, to_string(from.card.sample_shape),
                          from.card.classes));
}

Score evaluate(const LoadedCheckpoint& from, const Config& config, Dataset data) {
  check_fits(from, data);
  data.classes = from.card.classes;
  const WorkerChoice workers = choose_workers(config);
  const auto home = read_environment().home;
  const Machine machine = measured_machine(workers, home);
  KernelTimes times((model_folder(home, machine) / "kernels.json").string());
  times.load();
  Engine engine(config, workers, machine, (model_folder(home, machine) / "starpu").string());
  Evaluation evaluation(config, data, engine, machine, times);
  return evaluation.run([&](const Tensor& t) { return from.model.at(t.name, t.dtype, t.shape).data; });
}

void print(const Command& command, const LoadedCheckpoint& from, const Dataset& data, const Score& score) {
  if (command.json) {
    const nlohmann::ordered_json j = {
        {"checkpoint", from.path.string()}, {"step", from.state.step},  {"data", data.name},
        {"split", command.split},           {"samples", score.samples}, {"loss", score.loss},
        {"accuracy", score.accuracy}};
    fmt::print("{}\n", j.dump(2));
    return;
  }
  fmt::print("{}", labelled("eval", fmt::format("{} on {} ({}): {} samples", from.path.string(), data.name,
                                                command.split, score.samples)));
  fmt::print("{}", labelled("loss", fmt::format("{:.4f}", score.loss)));
  fmt::print("{}", labelled("accuracy", fmt::format("{:.2f} %", 100 * score.accuracy)));
}

}  // namespace

int run_eval(const Command& command) {
  check_instructions();
  const auto from = load_trained(command.args[0], runs_folder(command));
  const auto resolved = config_of(from, command.settings);
  check_complete(resolved);
  const Config& config = resolved.config;
  const auto split = load_data(config.data, read_environment().data_path, config.run.seed, context_of(config.model));
  const Dataset& data = command.split == "train" ? split.train : split.val;
  print(command, from, data, evaluate(from, config, data));
  return static_cast<int>(Exit::ok);
}

}  // namespace pleiad
