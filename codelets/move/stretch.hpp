#pragma once
#include "codelets/gpu/strides.hpp"
#include "codelets/kernel.hpp"

// Parts of a tensor along one dimension.

namespace pleiad {

/// A dense array seen around one of its dimensions: `outer` rows of `extent` times `inner` neighbouring elements.
struct Around {
  Index outer = 1, extent = 1, inner = 1;

  Index row() const { return extent * inner; }
};
inline Around around(const Shape& shape, std::size_t dim) {
  Around a{.extent = shape[dim]};
  for (std::size_t d = 0; d < dim; ++d) a.outer *= shape[d];
  for (std::size_t d = dim + 1; d < shape.rank(); ++d) a.inner *= shape[d];
  return a;
}

/// The `n` elements of tile y from the i-th on.
template <class T>
Tile stretch(const Tile& y, Index i, Index n) {
  Tile part = y;
  part.shape = {n};
  part.data = y.as<T>() + i;
  return part;
}

/// Copies `extent` elements along dimension `dim` from position `from` of x to position `to` of y; adds where y
/// accumulates. The other dimensions are alike.
template <class T>
void copy_part(const Tile& x, Index from, const Tile& y, Index to, Index extent, std::size_t dim) noexcept {
  const Around in = around(x.shape, dim), out = around(y.shape, dim);
  for (Index o = 0; o < in.outer; ++o) {
    const T* part = x.as<const T>() + o * in.row() + from * in.inner;
    fill_elements<T>(stretch<T>(y, o * out.row() + to * out.inner, extent * in.inner),
                     [part](Index i) { return static_cast<Wide<T>>(part[i]); });
  }
}

/// `extent` elements along dimension `dim` from position `from` on, of a dense tensor on a GPU.
inline GpuStrides gpu_part(const Shape& shape, std::size_t dim, Index from, Index extent) {
  const Around a = around(shape, dim);
  GpuStrides s = gpu_strides({a.outer, extent, a.inner}, {a.row(), a.inner, 1});
  s.start = from * a.inner;
  return s;
}
/// Copies a box of elements to another with as many; adds where `accumulate`.
inline void gpu_copy(GpuQueue& q, DType dtype, GpuMemory x, const GpuStrides& from, GpuMemory y, const GpuStrides& to,
                     bool accumulate) {
  Index n = 1;
  for (int d = 0; d < from.rank; ++d) n *= from.extent[d];
  if (n > 0) q.run("retile", dtype, grid_of_elements(n), x, y, n, accumulate, from, to);
}

/// The dimension along which a call joins or cuts: the one that the notation names differently in x and y.
inline std::size_t dimension_of(const Signature& s, std::size_t x, std::size_t y) {
  const std::string &a = s.operands[x].axes, &b = s.operands[y].axes;
  std::size_t d = 0;
  while (d + 1 < a.size() && a[d] == b[d]) ++d;
  return d;
}

}  // namespace pleiad
