#pragma once
#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "codelets/base/tile.hpp"

namespace pleiad::testing {

/// A dense tensor with memory of its own, 64-byte aligned, between sentinels. Elements are read and set as double.
class Values {
 public:
  static constexpr std::size_t kBlock = 64;  // sentinels before and after fill one each; a part of the last one as well

  Values(DType dtype, const Shape& shape) : dtype_(dtype), shape_(shape), blocks_((bytes() + kBlock - 1) / kBlock + 2) {
    std::memset(blocks_.data(), kSentinel, blocks_.size() * kBlock);
    std::memset(data(), 0, bytes());
  }

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  Index size() const { return shape_.volume(); }
  std::size_t bytes() const { return static_cast<std::size_t>(size()) * size_of(dtype_); }
  void* data() { return blocks_.data() + 1; }
  const void* data() const { return blocks_.data() + 1; }

  double operator[](Index i) const {
    return with_stored(
        dtype_, [&]<class T>() { return static_cast<double>(static_cast<Wide<T>>(static_cast<const T*>(data())[i])); });
  }
  void set(Index i, double x) {
    with_stored(dtype_, [&]<class T>() { static_cast<T*>(data())[i] = static_cast<T>(static_cast<Wide<T>>(x)); });
  }
  /// NaN, or a conspicuous integer, everywhere.
  void poison() { std::memset(data(), dtype_ == DType::i32 ? 0x5a : 0xff, bytes()); }
  bool sentinels_intact() const {
    const auto* begin = reinterpret_cast<const unsigned char*>(blocks_.data());
    const auto* end = begin + blocks_.size() * kBlock;
    const auto sentinel = [](unsigned char c) { return c == kSentinel; };
    return std::all_of(begin, begin + kBlock, sentinel) && std::all_of(begin + kBlock + bytes(), end, sentinel);
  }
  bool same_bits(const Values& other) const {
    return bytes() == other.bytes() && std::memcmp(data(), other.data(), bytes()) == 0;
  }

  /// The whole tensor as a kernel sees it.
  Tile tile() { return tile_of(Shape{}, shape_); }
  /// This tensor as a tile at `origin` of a tensor of shape `whole`.
  Tile tile_of(Shape origin, const Shape& whole) {
    while (origin.rank() < shape_.rank()) origin.push_back(0);
    return {.data = data(), .shape = shape_, .origin = origin, .whole = whole, .dtype = dtype_};
  }

 private:
  static constexpr unsigned char kSentinel = 0xa5;
  struct alignas(kBlock) Block {
    unsigned char bytes[kBlock];
  };

  DType dtype_;
  Shape shape_;
  std::vector<Block> blocks_;
};

/// Row-major number in a tensor of shape `whole` of the i-th element of a box at `origin`.
inline Index index_in(const Shape& whole, const Shape& origin, const Shape& box, Index i) {
  return global_index({.data = nullptr, .shape = box, .origin = origin, .whole = whole}, i);
}

inline Values cut_out(const Values& whole, const Shape& origin, const Shape& shape) {
  Values part(whole.dtype(), shape);
  for (Index i = 0; i < part.size(); ++i) part.set(i, whole[index_in(whole.shape(), origin, shape, i)]);
  return part;
}

inline void put_back(Values& whole, const Shape& origin, const Values& part) {
  for (Index i = 0; i < part.size(); ++i) whole.set(index_in(whole.shape(), origin, part.shape(), i), part[i]);
}

/// Where `got` is further from `wanted` than `tolerance` times the largest wanted element, or 1 if all are smaller;
/// integers must be equal, and nothing may be NaN.
inline std::optional<std::string> difference(const Values& got, const Values& wanted, double tolerance) {
  double largest = 1;
  for (Index i = 0; i < wanted.size(); ++i) largest = std::max(largest, std::fabs(wanted[i]));
  const double allowed = wanted.dtype() == DType::i32 ? 0 : tolerance * largest;
  for (Index i = 0; i < wanted.size(); ++i)
    if (!(std::fabs(got[i] - wanted[i]) <= allowed))
      return "element " + std::to_string(i) + " is " + std::to_string(got[i]) + " instead of " +
             std::to_string(wanted[i]);
  return {};
}

}  // namespace pleiad::testing
