#include "codelets/blas/gemm.hpp"

#include <limits>

namespace pleiad {
namespace {

template <class T, class C>
void finish_as(const Gemm& g, const GemmData& d) noexcept {
  const T* bias = g.bias ? static_cast<const T*>(d.bias) : nullptr;
  const auto zero = g.relu ? Wide<T>(0) : -std::numeric_limits<Wide<T>>::infinity();
  for (Index i = 0; i < g.batch * g.m; ++i) {
    C* c = static_cast<C*>(d.c) + i / g.m * g.c_batch + i % g.m * g.c_row;
#pragma omp simd
    for (Index j = 0; j < g.n; ++j) {
      const auto x = static_cast<Wide<T>>(c[j]) + (bias ? static_cast<Wide<T>>(bias[j]) : Wide<T>(0));
      c[j] = static_cast<C>(x < zero ? zero : x);
    }
  }
}

template <class T, class C>
void multiply(const Gemm& g, const T* a, const T* b, C* c) noexcept {
  for (Index i = 0; i < g.m; ++i)
    for (Index j = 0; j < g.n; ++j) {
      Wide<T> sum = 0;
      for (Index k = 0; k < g.k; ++k)
        sum += static_cast<Wide<T>>(a[i * g.a_row + k * g.a_col]) * static_cast<Wide<T>>(b[k * g.b_row + j * g.b_col]);
      C& y = c[i * g.c_row + j];
      sum *= static_cast<Wide<T>>(g.alpha);
      y = static_cast<C>(g.accumulate ? static_cast<Wide<T>>(y) + sum : sum);
    }
}

/// Calls f.template operator()<T, C>() for the types of the operands and of C.
template <class F>
void with_types(const Gemm& g, F f) {
  with_dtype(g.dtype, [&]<class T>() { g.wide ? f.template operator()<T, Wide<T>>() : f.template operator()<T, T>(); });
}

void run_ref(const Gemm& g, const GemmData& d) noexcept {
  with_types(g, [&]<class T, class C>() {
    for (Index i = 0; i < g.batch; ++i)
      multiply(g, static_cast<const T*>(d.a) + i * g.a_batch, static_cast<const T*>(d.b) + i * g.b_batch,
               static_cast<C*>(d.c) + i * g.c_batch);
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
  with_types(g, [&]<class T, class C>() { finish_as<T, C>(g, d); });
}

const GemmBackend gemm_ref{"ref", [](const Gemm& g) { return !g.packed; }, run_ref};

}  // namespace pleiad
