#include "apps/data/array.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "codelets/base/error.hpp"

namespace pleiad {
namespace {

template <class T>
T number_at(const RawArray& array, std::size_t i) {
  T number;
  std::memcpy(&number, array.bytes.data() + array.offset + i * sizeof(T), sizeof(T));
  return number;
}

/// Calls f.operator()<T>() for the C++ type of the element.
template <class F>
decltype(auto) with_element(NumberType element, F&& f) {
  switch (element) {
    case NumberType::u8:
      return f.template operator()<std::uint8_t>();
    case NumberType::i32:
      return f.template operator()<std::int32_t>();
    case NumberType::i64:
      return f.template operator()<std::int64_t>();
    case NumberType::f32:
      return f.template operator()<float>();
    default:
      return f.template operator()<double>();
  }
}

float checked_feature(const RawArray& array, float number, std::size_t i) {
  if (!std::isfinite(number)) throw_bad_data(array.where, fmt::format("value {} of the features is {}", i, number));
  return number;
}

}  // namespace

std::size_t size_of(NumberType element) {
  return with_element(element, []<class T>() { return sizeof(T); });
}

void throw_bad_data(std::string_view where, std::string_view what) {
  throw Error(Exit::data, fmt::format("{}: {}", where, what));
}

void check_extents(std::string_view where, const std::vector<std::uint64_t>& extents, NumberType element,
                   std::size_t bytes_present) {
  std::uint64_t bytes = size_of(element);
  for (const auto e : extents) {
    if (e != 0 && bytes > std::numeric_limits<std::uint64_t>::max() / e)
      throw_bad_data(where, fmt::format("damaged: its header claims {} numbers", fmt::join(extents, " x ")));
    bytes *= e;
  }
  if (bytes == bytes_present) return;
  throw_bad_data(where, fmt::format("{}: the header says {} = {} bytes, the file holds {}\nget the file again",
                                    bytes_present < bytes ? "truncated" : "damaged", fmt::join(extents, " x "), bytes,
                                    bytes_present));
}

Shape checked_shape(std::string_view where, const std::vector<std::uint64_t>& extents) {
  if (extents.empty() || extents.size() > kMaxRank)
    throw_bad_data(where, fmt::format("has {} dimensions; 1 to {} can be read", extents.size(), kMaxRank));
  Shape shape;
  for (const auto e : extents) {
    if (e == 0) throw_bad_data(where, "holds no samples");
    shape.push_back(static_cast<Index>(e));
  }
  return shape;
}

std::vector<float> to_features(const RawArray& array) {
  std::vector<float> features(static_cast<std::size_t>(array.shape.volume()));
  with_element(array.element, [&]<class T>() {
    constexpr bool is_byte = std::is_same_v<T, std::uint8_t>;
    constexpr float scale = is_byte ? 255.0f : 1.0f;
    for (std::size_t i = 0; i < features.size(); ++i) {
      features[i] = static_cast<float>(number_at<T>(array, i)) / scale;
      if constexpr (std::is_floating_point_v<T>) checked_feature(array, features[i], i);
    }
  });
  return features;
}

std::vector<std::int32_t> to_labels(const RawArray& array) {
  std::vector<std::int32_t> labels(static_cast<std::size_t>(array.shape.volume()));
  with_element(array.element, [&]<class T>() {
    for (std::size_t i = 0; i < labels.size(); ++i)
      labels[i] = checked_label(array.where, static_cast<double>(number_at<T>(array, i)), i);
  });
  return labels;
}

std::int32_t checked_label(std::string_view where, double number, std::size_t index) {
  const bool whole = number >= 0 && number < 2147483647.0 && std::floor(number) == number;
  if (!whole)
    throw_bad_data(where, fmt::format("label {} of sample {} is not a class number 0, 1, 2 ...", number, index));
  return static_cast<std::int32_t>(number);
}

}  // namespace pleiad
