#include <cblas.h>

#include <string_view>

#include "codelets/blas/gemm.hpp"

namespace pleiad {
namespace {

CBLAS_TRANSPOSE transposed(const BlasLayout& l) { return l.transposed ? CblasTrans : CblasNoTrans; }

/// openblas_set_num_threads is global; a serial build ignores it.
void use_one_thread() {
  static const bool once = (openblas_set_num_threads(1), true);
  static_cast<void>(once);
}

template <class T, class F>
void run_with(F gemm, const Gemm& g, const GemmData& d) {
  const BlasLayout a = layout_a(g), b = layout_b(g);
  for (Index i = 0; i < g.batch; ++i)
    gemm(CblasRowMajor, transposed(a), transposed(b), static_cast<blasint>(g.m), static_cast<blasint>(g.n),
         static_cast<blasint>(g.k), static_cast<T>(g.alpha), static_cast<const T*>(d.a) + i * g.a_batch,
         static_cast<blasint>(a.leading), static_cast<const T*>(d.b) + i * g.b_batch, static_cast<blasint>(b.leading),
         static_cast<T>(g.accumulate ? 1 : 0), static_cast<T*>(d.c) + i * g.c_batch,
         static_cast<blasint>(g.m == 1 ? g.n : g.c_row));
}

void run(const Gemm& g, const GemmData& d) noexcept {
  use_one_thread();
  if (g.dtype == DType::f64)
    run_with<double>(cblas_dgemm, g, d);
  else
    run_with<float>(cblas_sgemm, g, d);
  finish(g, d);
}

bool fits(const Gemm& g) { return g.dtype != DType::bf16 && !g.packed && blas_layouts(g) && openblas_is_thread_safe(); }

}  // namespace

bool openblas_is_thread_safe() {
  static const bool safe = openblas_get_parallel() != 0 ||
                           std::string_view(openblas_get_config()).find("USE_LOCKING") != std::string_view::npos;
  return safe;
}

const GemmBackend gemm_openblas{"openblas", fits, run};

}  // namespace pleiad
