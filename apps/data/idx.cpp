#include "apps/data/idx.hpp"

#include <fmt/format.h>

#include <cstdint>

namespace pleiad {
namespace {

constexpr std::size_t kMagicBytes = 4;
constexpr auto kByteType = std::byte{0x08};

std::uint64_t big_endian_32(const std::byte* p) {
  return std::to_integer<std::uint64_t>(p[0]) << 24 | std::to_integer<std::uint64_t>(p[1]) << 16 |
         std::to_integer<std::uint64_t>(p[2]) << 8 | std::to_integer<std::uint64_t>(p[3]);
}

}  // namespace

bool is_idx(const std::vector<std::byte>& start) {
  return start.size() >= kMagicBytes && start[0] == std::byte{0} && start[1] == std::byte{0} && start[2] >= kByteType &&
         start[2] <= std::byte{0x0e} && start[3] > std::byte{0};
}

RawArray parse_idx(std::vector<std::byte> contents, std::string where) {
  if (!is_idx(contents)) throw_bad_data(where, "is not an IDX file: it does not begin with 00 00 08 and the rank");
  if (contents[2] != kByteType)
    throw_bad_data(where, fmt::format("holds numbers of IDX type 0x{:02x}; only bytes (0x08) can be read",
                                      std::to_integer<unsigned>(contents[2])));
  const auto rank = std::to_integer<std::size_t>(contents[3]);
  const auto header = kMagicBytes + 4 * rank;
  if (contents.size() < header)
    throw_bad_data(
        where, fmt::format("truncated: its header alone takes {} bytes, the file holds {}\nget the file again", header,
                           contents.size()));
  std::vector<std::uint64_t> extents(rank);
  for (std::size_t d = 0; d < rank; ++d) extents[d] = big_endian_32(contents.data() + kMagicBytes + 4 * d);
  check_extents(where, extents, NumberType::u8, contents.size() - header);
  const auto shape = checked_shape(where, extents);
  return {std::move(where), NumberType::u8, shape, std::move(contents), header};
}

}  // namespace pleiad
