#pragma once
#include <optional>
#include <string>
#include <vector>

#include "apps/checkpoint/checkpoint.hpp"
#include "apps/data/dataset.hpp"
#include "apps/run/run_directory.hpp"
#include "apps/train/plan_file.hpp"

namespace pleiad {

/// Where a training starts from: nothing, or a checkpoint of its run.
struct Continuation {
  std::optional<LoadedCheckpoint> checkpoint;
  TrainingState state;               // of the checkpoint, or all zero
  TrainingState fingerprint;         // seed, batch, order and data of this training: what every checkpoint says of it
  std::vector<std::string> skipped;  // damaged checkpoints passed over, and why
  std::optional<PlanFile> plan;      // that the run used before

  /// The former plan, where results must not change or it was made for this kind of machine; else nothing.
  std::optional<PlanFile> plan_for(const Machine&, const Config&) const;
};

/// Looks into the run folder. Error (Exit::usage) if the checkpoint was made with another batch, seed, order or model,
/// Error (Exit::data) if with other data or if all checkpoints are damaged.
Continuation find_continuation(const RunDirectory&, const Config&, const DataSplit&);

/// Sizes of all batch tiles as the user pins them; empty: to be chosen. Error (Exit::usage) if they do not add up.
std::vector<Index> tile_sizes(const Config&);

}  // namespace pleiad
