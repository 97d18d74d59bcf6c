#pragma once
#include "codelets/base/vector.hpp"

// Products of matrices that are small and in the nearest caches: the sums of a strip of rows stay in registers.

namespace pleiad {

/// Rows of a strip: with two vectors of columns they fill the registers.
inline constexpr int kStripRows = sizeof(Vector<float>) == 64 ? 8 : 4;

/// Element (i, j) is data[i * row + j * column].
template <class W>
struct Strided {
  W* data;
  Index row, column = 1;

  Strided at(Index i, Index j) const { return {data + i * row + j * column, row, column}; }
  Strided transposed() const { return {data, column, row}; }
};

/// c = a b, or c += a b, for kStripRows rows and `Vectors` vectors of columns; rows of b and c are contiguous.
template <int Vectors, class W>
inline void product_tile(const Strided<W>& a, const Strided<W>& b, const Strided<W>& c, Index k, bool accumulate) {
  Vector<W> sum[kStripRows][Vectors];
  for (int r = 0; r < kStripRows; ++r)
    for (int v = 0; v < Vectors; ++v)
      sum[r][v] = accumulate ? load_vector(c.data + r * c.row + v * kLanes<W>) : Vector<W>(W(0));
  for (Index i = 0; i < k; ++i) {
    Vector<W> x[Vectors];
    for (int v = 0; v < Vectors; ++v) x[v] = load_vector(b.data + i * b.row + v * kLanes<W>);
    for (int r = 0; r < kStripRows; ++r) {
      const Vector<W> factor = a.data[r * a.row + i * a.column];
      for (int v = 0; v < Vectors; ++v) sum[r][v] += factor * x[v];
    }
  }
  for (int r = 0; r < kStripRows; ++r)
    for (int v = 0; v < Vectors; ++v) store_vector(c.data + r * c.row + v * kLanes<W>, sum[r][v]);
}

/// The same for n columns, a multiple of kLanes.
template <class W>
inline void product_strip(const Strided<W>& a, const Strided<W>& b, const Strided<W>& c, Index n, Index k,
                          bool accumulate) {
  constexpr Index kPanel = 2 * kLanes<W>;
  Index j = 0;
  for (; j + kPanel <= n; j += kPanel) product_tile<2, W>(a, b.at(0, j), c.at(0, j), k, accumulate);
  if (j < n) product_tile<1, W>(a, b.at(0, j), c.at(0, j), k, accumulate);
}

}  // namespace pleiad
