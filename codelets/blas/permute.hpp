#pragma once
#include <algorithm>
#include <optional>

#include "codelets/blas/contract_simd.hpp"

// Copies with the axes in another order: contractions of one input without a sum, blocked so that both the rows that
// are read and those that are written stay in the nearest cache.

namespace pleiad {

/// Loops of a permutation: the one along which x is contiguous, the one along which y is, and the others. Where that is
/// one loop, it is `along_y`; one that does not exist has one turn.
struct Permutation {
  Loop along_x, along_y;
  Contraction rest;
};
/// Nothing if the contraction is none.
std::optional<Permutation> permutation_of(const Contraction&);

namespace permute {

/// y[j] = x[j]: n elements that lie alike in both.
template <class T>
void copy_row(const T* x, T* y, Index n, Wide<T> scale, bool accumulate) noexcept {
#pragma omp simd
  for (Index j = 0; j < n; ++j) {
    const Wide<T> value = static_cast<Wide<T>>(x[j]) * scale;
    store(y[j], accumulate ? static_cast<Wide<T>>(y[j]) + value : value);
  }
}

constexpr Index kBlock = 16;

/// One block: y[i, j] = x[j, i], rows of x and y lying `x_row` and `y_row` apart. By way of a small array, so that
/// rows that share places in the cache are read once each.
template <class T>
void copy_block(const T* x, Index x_row, T* y, Index y_row, Index rows, Index columns, Wide<T> scale,
                bool accumulate) noexcept {
  T block[kBlock * kBlock];
  for (Index j = 0; j < columns; ++j) std::copy_n(x + j * x_row, rows, block + j * kBlock);
  for (Index i = 0; i < rows; ++i) {
#pragma omp simd
    for (Index j = 0; j < columns; ++j) {
      const Wide<T> value = static_cast<Wide<T>>(block[j * kBlock + i]) * scale;
      T& to = y[i * y_row + j];
      store(to, accumulate ? static_cast<Wide<T>>(to) + value : value);
    }
  }
}

}  // namespace permute

/// The permutation of `c`, multiplied by `scale`.
template <class T>
void run_permutation(const Call& c, const Permutation& p, double scale) noexcept {
  using permute::kBlock;
  const Index rows = p.along_x.extent, columns = p.along_y.extent;
  const Index x_row = p.along_y.stride[0], y_row = p.along_x.stride[1];
  for_each_turn(p.rest, p.rest.loops(), {}, false, [&](const Offsets& at, bool) {
    const T* x = c[0].as<const T>() + at[0];
    T* y = c[1].as<T>() + at[1];
    if (rows == 1 && x_row == 1) return permute::copy_row(x, y, columns, static_cast<Wide<T>>(scale), c[1].accumulate);
    for (Index j = 0; j < columns; j += kBlock)
      for (Index i = 0; i < rows; i += kBlock)
        permute::copy_block(x + j * x_row + i, x_row, y + i * y_row + j, y_row, std::min(kBlock, rows - i),
                            std::min(kBlock, columns - j), static_cast<Wide<T>>(scale), c[1].accumulate);
  });
}

}  // namespace pleiad
