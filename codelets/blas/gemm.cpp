#include "codelets/blas/gemm.hpp"

#include <limits>

namespace pleiad {
namespace {

template <class T>
void finish_as(const Gemm& g, const GemmData& d) noexcept {
  const T* bias = g.bias ? static_cast<const T*>(d.bias) : nullptr;
  const auto zero = g.relu ? Wide<T>(0) : -std::numeric_limits<Wide<T>>::infinity();
  for (Index i = 0; i < g.batch * g.m; ++i) {
    T* c = static_cast<T*>(d.c) + i / g.m * g.c_batch + i % g.m * g.c_row;
#pragma omp simd
    for (Index j = 0; j < g.n; ++j) {
      const auto x = static_cast<Wide<T>>(c[j]) + (bias ? static_cast<Wide<T>>(bias[j]) : Wide<T>(0));
      c[j] = static_cast<T>(x < zero ? zero : x);
    }
  }
}

template <class T>
void multiply(const Gemm& g, const T* a, const T* b, T* c) noexcept {
  for (Index i = 0; i < g.m; ++i)
    for (Index j = 0; j < g.n; ++j) {
      Wide<T> sum = 0;
      for (Index k = 0; k < g.k; ++k)
        sum += static_cast<Wide<T>>(a[i * g.a_row + k * g.a_col]) * static_cast<Wide<T>>(b[k * g.b_row + j * g.b_col]);
      T& y = c[i * g.c_row + j];
      sum *= static_cast<Wide<T>>(g.alpha);
      y = static_cast<T>(g.accumulate ? static_cast<Wide<T>>(y) + sum : sum);
    }
}

void run_ref(const Gemm& g, const GemmData& d) noexcept {
  with_dtype(g.dtype, [&]<class T>() {
    for (Index i = 0; i < g.batch; ++i)
      multiply(g, static_cast<const T*>(d.a) + i * g.a_batch, static_cast<const T*>(d.b) + i * g.b_batch,
               static_cast<T*>(d.c) + i * g.c_batch);
  });
  finish(g, d);
}

}  // namespace

BlasLayout blas_layout(Index rows, Index cols, Index row, Index col) {
  if ((col == 1 || cols == 1) && (rows == 1 || row >= cols)) return {true, false, rows == 1 ? cols : row};
  if ((row == 1 || rows == 1) && (cols == 1 || col >= rows)) return {true, true, cols == 1 ? rows : col};
  return {};
}

void finish(const Gemm& g, const GemmData& d) noexcept {
  if (!g.bias && !g.relu) return;
  with_dtype(g.dtype, [&]<class T>() { finish_as<T>(g, d); });
}

const GemmBackend gemm_ref{"ref", [](const Gemm&) { return true; }, run_ref};

}  // namespace pleiad
