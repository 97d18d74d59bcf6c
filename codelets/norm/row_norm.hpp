#pragma once
#include <algorithm>
#include <cmath>

#include "codelets/base/loops.hpp"
#include "codelets/norm/columns_gpu.hpp"
#include "codelets/norm/norm_attrs.hpp"

// Normalisation of rows: layer_norm (centred) and rms_norm, plain or of the sum of two inputs.

namespace pleiad {

/// Operands: x, [residual,] weight, [bias] -> [sum,] y, [mean,] rstd. A row of x fits the first-level cache, so going
/// over it several times costs little more than reading it once.
template <bool centred, bool residual, class Sum>
struct RowNorm {
  template <class T>
  static void run(const Call& c) noexcept {
    using W = Wide<T>;
    const Index n = c[kY].shape.back();
    auto* const room = static_cast<W*>(scratch(static_cast<std::size_t>(n) * sizeof(W)));
    for (Index r = 0; r < c[kY].size() / n; ++r) {
      const W* x = input<T>(c, r * n, n, room);
      const W mean = centred ? Sum::template of<W>(n, [=](Index i) { return x[i]; }) / static_cast<W>(n) : W(0);
      const W square = Sum::template of<W>(n, [=](Index i) { return (x[i] - mean) * (x[i] - mean); });
      const W rstd = 1 / std::sqrt(square / static_cast<W>(n) + static_cast<W>(c.attrs.as<NormAttrs>().eps));
      write<T>(c, r * n, n, x, mean, rstd);
      if constexpr (centred) put<W>(c[kY + 1], r, mean);
      put<W>(c.tiles.back(), r, rstd);
    }
  }

 private:
  static constexpr std::size_t kWeight = residual ? 2 : 1, kY = kWeight + (centred ? 2 : 1) + (residual ? 1 : 0);

  /// The row to normalise, which starts at element `at`.
  template <class T>
  static const Wide<T>* input(const Call& c, Index at, Index n, Wide<T>* room) noexcept {
    const T* x = c[0].as<const T>() + at;
    if constexpr (!residual) {
      return widened(x, n, room);
    } else {
      const T* other = c[1].as<const T>() + at;
      fill_row(room, n, false, [=](Index i) { return static_cast<Wide<T>>(x[i]) + static_cast<Wide<T>>(other[i]); });
      fill_row(c[kY - 1].as<T>() + at, n, c[kY - 1].accumulate, [=](Index i) { return room[i]; });
      return room;
    }
  }

  template <class T>
  static void write(const Call& c, Index at, Index n, const Wide<T>* x, Wide<T> mean, Wide<T> rstd) noexcept {
    const auto *weight = c[kWeight].as<const Wide<T>>(), *bias = c[kWeight + 1].as<const Wide<T>>();
    fill_row(c[kY].as<T>() + at, n, c[kY].accumulate, [=](Index i) {
      const Wide<T> y = (x[i] - mean) * rstd * weight[i];
      return centred ? y + bias[i] : y;
    });
  }
};

template <bool centred, bool residual>
void launch_row_norm(const Call& c, GpuQueue& q) {
  constexpr std::size_t weight = residual ? 2 : 1, y = weight + (centred ? 2 : 1) + (residual ? 1 : 0);
  const Tile &sum = residual ? c[y - 1] : c[y], &mean = centred ? c[y + 1] : c[y], &rstd = c.tiles.back();
  const Index n = c[y].shape.back(), rows = c[y].size() / n;
  q.run("row_norm", c[0].dtype, grid_of_groups(groups_of_rows(rows), 256), c[0], c[residual ? 1 : 0], c[weight],
        c[centred ? weight + 1 : weight], sum, c[y], mean, rstd, rows, n, c.attrs.as<NormAttrs>().eps, centred,
        residual, sum.accumulate, c[y].accumulate, mean.accumulate, rstd.accumulate);
}

/// Operands: x, weight, [mean,] rstd, dy, [dsum] -> dx, dweight, [dbias]; with a residual, x is the sum and dsum what
/// else depends on it. With n_i = (x_i - mean) rstd and g_i = dy_i weight_i:
/// dx_i = rstd (g_i - mean over j of g_j - n_i * mean over j of g_j n_j), where rms_norm lacks the first mean.
template <bool centred, bool residual, class Sum>
struct RowNormGrad {
  template <class T>
  static void run(const Call& c) noexcept {
    using W = Wide<T>;
    const Index n = c[0].shape.back();
    auto* const dweight = static_cast<W*>(scratch(static_cast<std::size_t>(4 * n) * sizeof(W)));
    std::fill_n(dweight, 2 * n, W(0));
    for (Index r = 0; r < c[0].size() / n; ++r) row<T>(c, r, n, dweight);
    fill_row(c[kDx + 1].as<W>(), n, c[kDx + 1].accumulate, [=](Index i) { return dweight[i]; });
    if constexpr (centred)
      fill_row(c[kDx + 2].as<W>(), n, c[kDx + 2].accumulate, [=](Index i) { return dweight[n + i]; });
  }

 private:
  static constexpr std::size_t kRstd = centred ? 3 : 2, kDy = kRstd + 1, kDx = kDy + (residual ? 2 : 1);

  /// `dweight` has room for the sums of both parameters and for two rows.
  template <class T>
  static void row(const Call& c, Index r, Index n, Wide<T>* dweight) noexcept {
    using W = Wide<T>;
    W* const dbias = dweight + n;
    const W* x = widened(c[0].as<const T>() + r * n, n, dweight + 2 * n);
    const W* dy = widened(c[kDy].as<const T>() + r * n, n, dweight + 3 * n);
    const T* dsum = residual ? c[kDy + 1].as<const T>() + r * n : nullptr;
    const W* weight = c[1].as<const W>();
    const W mean = centred ? c[2].as<const W>()[r] : W(0), rstd = c[kRstd].as<const W>()[r];
    const auto normal = [=](Index i) { return (x[i] - mean) * rstd; };
    const auto g = [=](Index i) { return dy[i] * weight[i]; };
    const W slope = Sum::template of<W>(n, [=](Index i) { return g(i) * normal(i); }) / static_cast<W>(n);
    const W shift = centred ? Sum::template of<W>(n, g) / static_cast<W>(n) : W(0);
    fill_row(c[kDx].as<T>() + r * n, n, c[kDx].accumulate, [=](Index i) {
      const W dx = rstd * (g(i) - shift - normal(i) * slope);
      return residual ? dx + static_cast<W>(dsum[i]) : dx;
    });
#pragma omp simd
    for (Index i = 0; i < n; ++i) {
      dweight[i] += dy[i] * normal(i);
      if (centred) dbias[i] += dy[i];
    }
  }
};

template <bool centred, bool residual>
void launch_row_norm_grad(const Call& c, GpuQueue& q) {
  constexpr std::size_t rstd = centred ? 3 : 2, dy = rstd + 1, dx = dy + (residual ? 2 : 1);
  const Tile& mean = c[centred ? 2 : 1];
  const ColumnChunks chunks(c[0], c[0].shape.back());
  q.run("row_norm_grad", c[0].dtype, grid_of_groups(groups_of_rows(chunks.rows), 256), c[0], c[1], mean, c[rstd], c[dy],
        c[dx - 1], c[dx], chunks.rows, chunks.columns, centred, residual, c[dx].accumulate);
  const GpuMemory parts = chunks.parts(q);
  q.run("norm_parameters", c[0].dtype, chunks.grid(), c[0], mean, c[rstd], c[dy], parts, chunks.rows, chunks.columns,
        chunks.chunk, Index{1}, Index{1}, chunks.columns, centred);
  chunks.sum(q, parts, 0, c[dx + 1]);
  if constexpr (centred) chunks.sum(q, parts, 1, c[dx + 2]);
}

}  // namespace pleiad
