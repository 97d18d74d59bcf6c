#include "codelets/ops/linear_dw.hpp"

#include <algorithm>

#include "codelets/blas/gemm.hpp"
#include "codelets/gpu/gemm.hpp"
#include "codelets/kernel.hpp"

namespace pleiad {
namespace {

Gemm gemm_of(const Call& c) {
  const Index o = c[3].size(), batch = c[0].size() / o, i = c[2].size() / o;
  return {.dtype = c[0].dtype,
          .m = o,
          .n = i,
          .k = batch,
          .a_row = 1,
          .a_col = o,
          .b_row = i,
          .b_col = 1,
          .c_row = i,
          .accumulate = c[2].accumulate};
}

/// Sums columns a stretch at a time, so that the sums stay in the nearest cache.
template <class T>
void sum_columns(const Tile& dz, const Tile& db) noexcept {
  constexpr Index kStretch = 512;
  const Index o = db.size(), batch = dz.size() / o;
  for (Index first = 0; first < o; first += kStretch) {
    const Index n = std::min(kStretch, o - first);
    Wide<T> sums[kStretch] = {};
    for (Index b = 0; b < batch; ++b) {
      const T* row = dz.as<const T>() + b * o + first;
#pragma omp simd
      for (Index j = 0; j < n; ++j) sums[j] += static_cast<Wide<T>>(row[j]);
    }
    for (Index j = 0; j < n; ++j) put<T>(db, first + j, sums[j]);
  }
}

template <const GemmBackend& Backend>
void run(const Call& c) noexcept {
  Backend.run(gemm_of(c), {c[0].data, c[1].data, c[2].data});
  with_dtype(c[0].dtype, [&]<class T>() { sum_columns<T>(c[0], c[3]); });
}

template <const GemmBackend& Backend>
constexpr Impl impl(const char* name) {
  return {.name = name, .run = run<Backend>, .fits = [](const Call& c) { return Backend.fits(gemm_of(c)); }};
}

void launch(const Call& c, GpuQueue& q) {
  const Tile &dz = c[0], &x = c[1], &dw = c[2], &db = c[3];
  run_gemm(q, dz.dtype, gpu_gemm(gemm_of(c)), 1, 1, {{dz.data}, {x.data}, {x.data}, {dw.data}, {dw.data}});
  const Index columns = db.size(), rows = dz.size() / columns;
  q.run("sum_columns", dz.dtype, {{(columns + 31) / 32, 1, 1}, {32, 8, 1}}, dz, db, rows, columns, db.accumulate);
}

std::vector<Sample> samples() {
  return {{.inputs = {{7, 6}, {7, 5}}, .attrs = Attrs("bo,bI->oI,o")},
          {.inputs = {{3, 2, 6}, {3, 2, 5}}, .attrs = Attrs("bto,btI->oI,o")},
          {.inputs = {{1, 1}, {1, 1}}, .attrs = Attrs("...o,...I->oI,o")}};
}

}  // namespace

const Op linear_dw{.name = "linear_dw",
                   .operands = {{{"dz"}, {"x"}, {"dw"}, {"db"}}},
                   .flops = 2,
                   .impls = {{gpu_impl<launch>(), impl<gemm_onednn_sgemm>("onednn_sgemm"), impl<gemm_onednn>("onednn"),
                              impl<gemm_openblas>("openblas"), impl<gemm_ref>("ref")}},
                   .samples = samples};

}  // namespace pleiad
