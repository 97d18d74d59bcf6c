#pragma once
#include "codelets/gpu/gemm.hpp"
#include "codelets/move/stretch.hpp"
#include "codelets/rnn/step_product.hpp"

// What kernels of recurrent ops on GPUs are told about their operands.

namespace pleiad {

/// Rows of a matrix [rows, row].
inline GpuRows gpu_rows(Index row, bool accumulate = false) { return {0, row, accumulate, 0}; }
/// Step t of a tensor [batch, time, row].
inline GpuRows step_rows(const Steps& s, Index t, Index row) { return {t * row, s.time * row, false, 0}; }

/// A product with one step of `a`: a tensor [batch, time, k] if t >= 0, else a matrix.
inline void step_product(GpuQueue& q, DType dtype, const Gemm& gemm, GpuMemory a, const Steps& s, Index t, GpuMemory b,
                         GpuMemory bias, GpuMemory c) {
  GpuGemm g = gpu_gemm(gemm);
  if (t >= 0) {
    g.a = t * gemm.k;
    g.a_row = s.time * gemm.k;
  }
  run_gemm(q, dtype, g, 1, 1, {a, b, bias, c, c});
}

/// Copies `width` elements from position `from` of each row at step t of [batch, time, row] to y: [batch, width].
inline void copy_step(GpuQueue& q, const Steps& s, const Tile& x, Index t, Index row, Index from, const Tile& y) {
  const Index width = y.shape[1];
  GpuStrides of_x = gpu_strides({s.batch, width}, {s.time * row, 1});
  of_x.start = t * row + from;
  gpu_copy(q, y.dtype, {x.data}, of_x, {y.data}, gpu_strides({s.batch, width}, {width, 1}), y.accumulate);
}

}  // namespace pleiad
