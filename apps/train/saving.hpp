#pragma once
#include <filesystem>

#include "apps/checkpoint/checkpoint.hpp"
#include "apps/train/model.hpp"
#include "graph/executor.hpp"

namespace pleiad {

/// Parameters from the seed, or from model.init (a .safetensors file or checkpoint); optimizer state zero.
void initialise(const Config&, const Model&, Executor&);
/// Parameters and optimizer state from a checkpoint. Error (Exit::data) naming what is missing or of another shape.
void restore(const LoadedCheckpoint&, const Model&, Executor&);
/// Parameters and optimizer state as a checkpoint in `folder`.
std::filesystem::path save(const std::filesystem::path& folder, const ModelCard&, const TrainingState&, const Model&,
                           const Executor&, Retention);

}  // namespace pleiad
