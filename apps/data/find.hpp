#pragma once
#include <filesystem>
#include <span>
#include <string>

namespace pleiad {

/// Where the data of this name are: a path that exists, a known data set, or a file or folder in `data_path`. Error
/// (data) that says where it was looked for and which package has it.
std::filesystem::path find_data(const std::string& name, std::span<const std::filesystem::path> data_path);

}  // namespace pleiad
