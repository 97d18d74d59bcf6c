#pragma once
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>

namespace pleiad {

using Index = std::int64_t;

inline constexpr std::size_t kMaxRank = 6;

/// Extents (or an origin) of a dense row-major array, slowest dimension first. At most kMaxRank dimensions.
class Shape {
 public:
  constexpr Shape() = default;
  constexpr Shape(std::initializer_list<Index> extents) {
    for (Index e : extents) push_back(e);
  }

  constexpr std::size_t rank() const { return rank_; }
  constexpr bool empty() const { return rank_ == 0; }
  constexpr Index operator[](std::size_t d) const { return extent_[d]; }
  constexpr Index& operator[](std::size_t d) { return extent_[d]; }
  constexpr Index back() const { return extent_[rank_ - 1]; }
  constexpr const Index* begin() const { return extent_.data(); }
  constexpr const Index* end() const { return extent_.data() + rank_; }
  constexpr void push_back(Index extent) {
    assert(rank_ < kMaxRank);
    extent_[rank_++] = extent;
  }
  /// Number of elements; 1 for a scalar (rank 0).
  constexpr Index volume() const {
    Index n = 1;
    for (Index e : *this) n *= e;
    return n;
  }
  friend constexpr bool operator==(const Shape&, const Shape&) = default;

 private:
  std::array<Index, kMaxRank> extent_{};
  std::size_t rank_ = 0;
};

/// "128x784"; "scalar" for rank 0.
inline std::string to_string(const Shape& s) {
  std::string text;
  for (Index e : s) text.append(text.empty() ? "" : "x").append(std::to_string(e));
  return s.empty() ? "scalar" : text;
}

}  // namespace pleiad
