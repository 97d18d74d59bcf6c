#pragma once
#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "apps/data/array.hpp"

namespace pleiad {

/// numpy's .npy, versions 1 to 3: little-endian float32, float64, int32, int64 or bytes, in C order. Error (data)
/// naming `where` for anything else.
RawArray parse_npy(std::vector<std::byte> contents, std::string where);

bool is_npy(const std::vector<std::byte>& start);
bool is_zip(const std::vector<std::byte>& start);

/// The arrays of an .npz by their names without ".npy".
std::map<std::string, RawArray> read_npz(const std::filesystem::path& path);

}  // namespace pleiad
