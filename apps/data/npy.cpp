#include "apps/data/npy.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstring>
#include <string_view>

namespace pleiad {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kPrefixBytes = 10;  // magic, version, 2 bytes of length; later versions have 4

bool begins_with(const std::vector<std::byte>& start, std::string_view magic) {
  return start.size() >= magic.size() && std::memcmp(start.data(), magic.data(), magic.size()) == 0;
}

/// Text of the Python dict in front of the numbers.
struct Header {
  std::string_view text;
  std::size_t end = 0;  // where the numbers begin
};

Header find_header(const std::vector<std::byte>& contents, std::string_view where) {
  if (!is_npy(contents)) throw_bad_data(where, "is not a .npy file: it does not begin with \\x93NUMPY");
  const auto byte = [&](std::size_t i) { return i < contents.size() ? std::to_integer<std::size_t>(contents[i]) : 0; };
  const bool is_long = byte(6) >= 2;
  const auto begin = is_long ? kPrefixBytes + 2 : kPrefixBytes;
  const auto length = byte(8) | byte(9) << 8 | (is_long ? byte(10) << 16 | byte(11) << 24 : 0);
  if (contents.size() < begin || contents.size() - begin < length)
    throw_bad_data(where, "truncated in its header\nget the file again");
  return {{reinterpret_cast<const char*>(contents.data()) + begin, length}, begin + length};
}

/// What follows 'key': in the dict, or "" without it.
std::string_view entry(std::string_view dict, std::string_view key) {
  const auto quoted = fmt::format("'{}':", key);
  const auto at = dict.find(quoted);
  if (at == std::string_view::npos) return {};
  dict.remove_prefix(at + quoted.size());
  dict.remove_prefix(std::min(dict.find_first_not_of(' '), dict.size()));
  return dict;
}

NumberType element_of(std::string_view dict, std::string_view where) {
  struct Known {
    std::string_view descr;
    NumberType element;
  };
  static constexpr auto kKnown = std::to_array<Known>({{"'<f4'", NumberType::f32},
                                                       {"'<f8'", NumberType::f64},
                                                       {"'<i4'", NumberType::i32},
                                                       {"'<i8'", NumberType::i64},
                                                       {"'|u1'", NumberType::u8}});
  const auto descr = entry(dict, "descr");
  for (const auto& known : kKnown)
    if (descr.starts_with(known.descr)) return known.element;
  throw_bad_data(where, fmt::format("holds numbers of type {}; <f4, <f8, <i4, <i8 and |u1 can be read\n"
                                    "in Python: numpy.save(file, array.astype('<f4'))",
                                    descr.substr(0, std::min<std::size_t>(descr.find(','), 20))));
}

std::vector<std::uint64_t> extents_of(std::string_view dict, std::string_view where) {
  auto text = entry(dict, "shape");
  std::vector<std::uint64_t> extents;
  if (!text.starts_with('(')) throw_bad_data(where, "damaged: its header has no shape");
  while (true) {
    text.remove_prefix(1);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    if (text.starts_with(')')) return extents;
    std::uint64_t extent = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (error != std::errc{} || text.empty()) throw_bad_data(where, "damaged: the shape in its header is unreadable");
    extents.push_back(extent);
    if (text.starts_with(')')) return extents;
    if (!text.starts_with(',')) throw_bad_data(where, "damaged: the shape in its header is unreadable");
  }
}

}  // namespace

bool is_npy(const std::vector<std::byte>& start) { return begins_with(start, kMagic); }
bool is_zip(const std::vector<std::byte>& start) { return begins_with(start, "PK\x03\x04"); }

RawArray parse_npy(std::vector<std::byte> contents, std::string where) {
  const auto header = find_header(contents, where);
  const auto element = element_of(header.text, where);
  if (!entry(header.text, "fortran_order").starts_with("False"))
    throw_bad_data(where, "is in Fortran order\nin Python: numpy.save(file, numpy.ascontiguousarray(array))");
  const auto extents = extents_of(header.text, where);
  check_extents(where, extents, element, contents.size() - header.end);
  const auto shape = checked_shape(where, extents);
  return {std::move(where), element, shape, std::move(contents), header.end};
}

}  // namespace pleiad
