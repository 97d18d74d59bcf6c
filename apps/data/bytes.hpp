#pragma once
#include <cstddef>
#include <filesystem>
#include <vector>

namespace pleiad {

/// Contents of the file, decompressed if it is gzip. Error (data) if it cannot be read or the compression is damaged.
/// Memory grows with what is really there, not with what a header claims.
std::vector<std::byte> read_bytes(const std::filesystem::path& path);

/// The first bytes of what read_bytes would give, at most `count`.
std::vector<std::byte> peek_bytes(const std::filesystem::path& path, std::size_t count);

}  // namespace pleiad
