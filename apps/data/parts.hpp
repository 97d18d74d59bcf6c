#pragma once
#include <filesystem>
#include <optional>

#include "apps/data/dataset.hpp"

namespace pleiad {

/// What one file or folder holds; classes and hashes are not set yet.
struct DataParts {
  Dataset train;
  std::optional<Dataset> val;
};

/// Opens a file or folder. `label_first`: the label is the first column of a table, else the last.
DataParts open_parts(const std::filesystem::path& path, bool label_first);

}  // namespace pleiad
