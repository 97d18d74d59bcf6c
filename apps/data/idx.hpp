#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "apps/data/array.hpp"

namespace pleiad {

/// The format of MNIST and its kin: two zero bytes, a type, the rank, the extents (big-endian 32 bit), the numbers.
/// Only bytes (type 0x08) are read. Error (data) naming `where` if the contents are something else or not complete.
RawArray parse_idx(std::vector<std::byte> contents, std::string where);

/// Whether the contents begin like an IDX file.
bool is_idx(const std::vector<std::byte>& start);

}  // namespace pleiad
