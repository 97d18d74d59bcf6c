#pragma once
#include <compare>

#include "codelets/base/shape.hpp"

namespace pleiad {

/// A window that slides over `in` rows (or columns) and stops at `out` places. `padding` rows are added at both ends;
/// neighbouring taps of the window lie `dilation` rows apart.
struct Slide {
  Index in = 1, out = 1, kernel = 1, stride = 1, padding = 0, dilation = 1;

  /// Rows from the first tap to the last.
  Index reach() const { return dilation * (kernel - 1) + 1; }
  /// How often the window fits; below 1 if it does not.
  Index places() const {
    const Index room = in + 2 * padding - reach();
    return room < 0 ? 0 : room / stride + 1;
  }
  /// The row under a tap of the window at a place; may lie in the padding.
  Index row(Index place, Index tap) const { return place * stride - padding + tap * dilation; }
  bool inside(Index row) const { return row >= 0 && row < in; }
  /// The place at which a tap is on a row, or -1.
  Index place(Index row, Index tap) const {
    const Index shifted = row + padding - tap * dilation;
    return shifted < 0 || shifted % stride != 0 || shifted / stride >= out ? -1 : shifted / stride;
  }

  friend auto operator<=>(const Slide&, const Slide&) = default;
};

}  // namespace pleiad
