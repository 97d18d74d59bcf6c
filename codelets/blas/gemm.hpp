#pragma once
#include <array>
#include <compare>
#include <cstddef>

#include "codelets/base/dtype.hpp"
#include "codelets/base/shape.hpp"

namespace pleiad {

/// C[i,j] = alpha * sum over k of A[i,k] B[k,j], for `batch` matrices; added to C where it accumulates. Strides are in
/// elements. Columns of C are contiguous.
struct Gemm {
  DType dtype = DType::f32;
  bool wide = false;    // C is of the wide type of `dtype`
  bool packed = false;  // B is what `pack` of the backend made of it
  Index m = 1, n = 1, k = 1;
  Index a_row = 0, a_col = 0, b_row = 0, b_col = 0, c_row = 0;
  Index batch = 1, a_batch = 0, b_batch = 0, c_batch = 0;
  double alpha = 1;
  bool accumulate = false;
  bool bias = false;  // adds bias[j]; only where nothing is accumulated
  bool relu = false;  // max(., 0) last; only where nothing is accumulated

  friend auto operator<=>(const Gemm&, const Gemm&) = default;
};

/// Borrowed memory of one product.
struct GemmData {
  const void* a = nullptr;
  const void* b = nullptr;
  void* c = nullptr;
  const void* bias = nullptr;
};

/// One way to compute a Gemm, on the calling thread alone. `fits` must hold before anything else may be used.
struct GemmBackend {
  const char* name;
  bool (*fits)(const Gemm&);
  void (*run)(const Gemm&, const GemmData&) noexcept;
  /// Bytes of B in the layout that products of this shape read fastest, for a B that several of them share; not for
  /// batches. Null: the backend knows no better layout.
  std::size_t (*packed_bytes)(const Gemm&) = nullptr;
  /// Copies B to 64-byte aligned memory in that layout.
  void (*pack)(const Gemm&, const void* b, void* packed) noexcept = nullptr;
};

extern const GemmBackend gemm_onednn;        // matmul primitives; bias fused; f32, and bf16 where the CPU has it
extern const GemmBackend gemm_onednn_sgemm;  // BLAS-like entry of the same library; f32
extern const GemmBackend gemm_openblas;      // f32, f64
/// False for a build for one thread without locks: it hands one work buffer to two callers at once, and results are
/// wrong without a sign. `gemm_openblas` then fits nothing.
bool openblas_is_thread_safe();
extern const GemmBackend gemm_ref;  // plain loops, any strides and type

/// How BLAS sees a matrix: row-major with a leading dimension, or the transpose of that.
struct BlasLayout {
  bool valid = false, transposed = false;
  Index leading = 1;
};
/// Layout of rows x cols elements that lie `row` and `col` apart; invalid if neither dimension is contiguous.
BlasLayout blas_layout(Index rows, Index cols, Index row, Index col);
inline BlasLayout layout_a(const Gemm& g) { return blas_layout(g.m, g.k, g.a_row, g.a_col); }
inline BlasLayout layout_b(const Gemm& g) { return blas_layout(g.k, g.n, g.b_row, g.b_col); }
/// Whether BLAS can take both operands as they lie.
inline bool blas_layouts(const Gemm& g) { return layout_a(g).valid && layout_b(g).valid; }

/// Adds the bias and applies relu where the Gemm asks for them, for backends that cannot.
void finish(const Gemm&, const GemmData&) noexcept;

}  // namespace pleiad
