#pragma once
#include <filesystem>
#include <span>

#include "apps/config/config.hpp"
#include "apps/data/dataset.hpp"

namespace pleiad {

/// Reads what the config names. Kinds of file are told by their contents: IDX images (with their labels file beside
/// them), CSV, npy and npz; plain or gzip; or a folder with the four IDX files or x_train.npy and so on. Test samples
/// are those of data.val, else the data's own test part, else a share chosen by the seed. With a `context` > 0 the data
/// are a text in samples of so many tokens (see load_text). Error (data) for what is missing, damaged or does not fit
/// together.
DataSplit load_data(const DataConfig& config, std::span<const std::filesystem::path> data_path, Index seed,
                    Index context = 0);

}  // namespace pleiad
