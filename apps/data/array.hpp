#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "codelets/base/shape.hpp"

namespace pleiad {

/// Number types that data files hold; little-endian.
enum class NumberType : std::uint8_t { u8, i32, i64, f32, f64 };

/// A dense row-major array as read from a file. Its numbers are bytes[offset ...].
struct RawArray {
  std::string where;  // file, and member of it, for messages
  NumberType element = NumberType::u8;
  Shape shape;
  std::vector<std::byte> bytes;
  std::size_t offset = 0;
};

std::size_t size_of(NumberType element);

/// Error (data): "WHERE: what".
[[noreturn]] void throw_bad_data(std::string_view where, std::string_view what);

/// Product of the extents times the element size, or an Error naming `where` if it is not what the file holds after
/// the header. Extents may be anything.
void check_extents(std::string_view where, const std::vector<std::uint64_t>& extents, NumberType element,
                   std::size_t bytes_present);

/// As a Shape; Error if the rank is not in 1..kMaxRank or an extent is 0.
Shape checked_shape(std::string_view where, const std::vector<std::uint64_t>& extents);

/// All numbers as float; bytes are scaled to [0, 1]. Error if one is not finite.
std::vector<float> to_features(const RawArray& array);

/// All numbers as class numbers. Error if one is negative, too large or not whole.
std::vector<std::int32_t> to_labels(const RawArray& array);

/// Error unless `number` is a class number; `index` counts samples from 0.
std::int32_t checked_label(std::string_view where, double number, std::size_t index);

}  // namespace pleiad
