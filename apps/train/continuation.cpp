#include "apps/train/continuation.hpp"

#include <fmt/format.h>

#include <numeric>

#include "apps/config/model_keys.hpp"

namespace pleiad {
namespace {

TrainingState fingerprint_of(const Config& c, const DataSplit& data) {
  TrainingState s;
  s.batch = c.train.batch;
  s.seed = c.run.seed;
  s.shuffle = c.data.shuffle;
  s.data_hash = data.train.hash;
  return s;
}

[[noreturn]] void differs(const LoadedCheckpoint& from, std::string_view key, std::string_view then,
                          std::string_view now) {
  throw Error(Exit::usage,
              fmt::format("{} was trained with {} = {}, now it is {}\ngoing on would repeat or skip samples; "
                          "use {} again, or begin another run with --name and --model.init",
                          from.path.string(), key, then, now, then));
}

void check_same_training(const LoadedCheckpoint& from, const TrainingState& now) {
  const TrainingState& then = from.state;
  if (then.batch != now.batch)
    differs(from, "train.batch", fmt::format("{}", then.batch), fmt::format("{}", now.batch));
  if (then.seed != now.seed) differs(from, "run.seed", fmt::format("{}", then.seed), fmt::format("{}", now.seed));
  if (then.shuffle != now.shuffle)
    differs(from, "data.shuffle", fmt::format("{}", then.shuffle), fmt::format("{}", now.shuffle));
  if (then.data_hash == now.data_hash) return;
  throw Error(Exit::data,
              fmt::format("{} was trained on other data (hash {:016x}, these have {:016x})\ngive the same data, "
                          "or begin another run with --name and --model.init",
                          from.path.string(), then.data_hash, now.data_hash));
}

void check_same_model(const LoadedCheckpoint& from, const ModelConfig& now) {
  const ModelConfig& then = from.card.model;
  if (same_network(then, now)) return;
  throw Error(Exit::usage,
              fmt::format("{0} holds another model, see {0}/config.json\nmodel.* must be as it was, or begin "
                          "another run with --name",
                          from.path.string()));
}

}  // namespace

std::optional<PlanFile> Continuation::plan_for(const Machine& machine, const Config& config) const {
  if (!plan || !checkpoint) return std::nullopt;
  const bool same = plan->hardware_key == machine.hardware_key;
  return same || config.numerics.deterministic ? plan : std::nullopt;
}

Continuation find_continuation(const RunDirectory& run, const Config& config, const DataSplit& data) {
  Continuation c;
  c.fingerprint = fingerprint_of(config, data);
  if (!run.is_resumed() && !latest_checkpoint(run.checkpoints())) return c;
  c.checkpoint = load_newest_valid(run.checkpoints(), c.skipped);
  if (!c.checkpoint) return c;
  check_same_training(*c.checkpoint, c.fingerprint);
  check_same_model(*c.checkpoint, config.model);
  c.state = c.checkpoint->state;
  const auto file = run.path() / "plan.json";
  if (std::filesystem::exists(file)) c.plan = read_plan_file(file);
  return c;
}

std::vector<Index> tile_sizes(const Config& config) {
  const auto& tiles = config.schedule.batch_tiles.sizes;
  const Index batch = config.train.batch;
  if (tiles.size() != 1) {
    if (tiles.empty() || std::accumulate(tiles.begin(), tiles.end(), Index{0}) == batch) return tiles;
    throw Error(Exit::usage, fmt::format("schedule.tiles.batch: the sizes {} do not add up to train.batch = {}",
                                         fmt::join(tiles, " + "), batch));
  }
  std::vector<Index> sizes(static_cast<std::size_t>(batch / tiles[0]), tiles[0]);
  if (batch % tiles[0] != 0) sizes.push_back(batch % tiles[0]);
  return sizes;
}

}  // namespace pleiad
