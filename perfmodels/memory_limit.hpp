#pragma once
#include <cstddef>
#include <filesystem>

namespace pleiad {

/// Bytes this process may take by its cgroups (v1 and v2, its own and all above) and rlimits; 0: no limit. `root` is
/// where /proc and /sys are looked for.
std::size_t memory_limit_bytes(const std::filesystem::path& root = "/");

}  // namespace pleiad
