#pragma once
#include <filesystem>
#include <span>
#include <string>

#include "apps/data/dataset.hpp"

namespace pleiad {

/// A text as bytes, one token each (256 classes), in samples of `context` tokens. `name`: a file, plain or gzip, or
/// kjv-bible, which the `bible` command of Debian's bible-kjv prints. The last `holdout` share of the text is the test
/// part. Error (data) if it cannot be read or is too short for one sample in each part.
DataSplit load_text(const std::string& name, std::span<const std::filesystem::path> data_path, Index context,
                    double holdout);

/// The same for a text that has a test text of its own.
DataSplit load_text(const std::string& name, const std::string& val_name,
                    std::span<const std::filesystem::path> data_path, Index context);

}  // namespace pleiad
