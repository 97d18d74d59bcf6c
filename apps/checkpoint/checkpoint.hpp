#pragma once
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/checkpoint/safetensors.hpp"
#include "apps/config/config.hpp"

namespace pleiad {

/// What a network is made for: enough, with the model's tensors, to use it. Written as config.json.
struct ModelCard {
  ModelConfig model;
  Shape sample_shape;
  Index classes = 0;
  DType dtype = DType::f32;
};

/// Where the training stands. There is no state of random numbers: they are counted, and follow from seed and step.
/// Written as state.json.
struct TrainingState {
  Index step = 0;            // steps done
  Index samples = 0;         // samples seen
  Index epoch = 0;           // of the next step
  Index epoch_position = 0;  // steps of that epoch done
  Index steps = 0;           // length of the training
  Index batch = 0;
  Index seed = 0;  // of the data order, with the epoch
  bool shuffle = true;
  double lr = 0;  // of the last step
  std::optional<double> best_accuracy;
  std::uint64_t data_hash = 0;    // of the training data
  std::uint64_t config_hash = 0;  // of what the caller considers to alter the maths
};

struct LoadedCheckpoint {
  std::filesystem::path path;
  ModelCard card;
  TrainingState state;
  TensorFile model, optimizer;
};

/// Which checkpoints stay: the newest `keep`, and those at multiples of `keep_every` (0: none).
struct Retention {
  Index keep = 3, keep_every = 0;
};

/// Writes `folder`/step-NNNNNN with config.json, model.safetensors, optimizer.safetensors, state.json and
/// MANIFEST.json, makes it the latest and removes those not to be kept. It becomes visible only when all of it is on
/// the disk; whatever happens before, the latest one stays as it was. One writer at a time. Error (data) if it cannot
/// be written.
std::filesystem::path write_checkpoint(const std::filesystem::path& folder, const ModelCard& card,
                                       const TrainingState& state, std::span<const NamedTensor> model,
                                       std::span<const NamedTensor> optimizer, Retention retention);

/// The folder that LATEST names, or without that file the one with the highest step. Nothing if there is none.
std::optional<std::filesystem::path> latest_checkpoint(const std::filesystem::path& folder);

/// Loads one checkpoint after comparing every file with the manifest. Error (data) if anything is missing or differs.
LoadedCheckpoint load_checkpoint(const std::filesystem::path& path);

/// The latest checkpoint, or if that is damaged the newest one before it that is not; `skipped` gets the reasons.
/// Nothing if there is no checkpoint at all; Error (data) if all are damaged.
std::optional<LoadedCheckpoint> load_newest_valid(const std::filesystem::path& folder,
                                                  std::vector<std::string>& skipped);

/// Folder name of the checkpoint at a step: "step-000400".
std::string checkpoint_name(Index step);

}  // namespace pleiad
