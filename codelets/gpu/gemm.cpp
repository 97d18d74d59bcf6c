#include "codelets/gpu/gemm.hpp"

namespace pleiad {

GpuGemm gpu_gemm(const Gemm& g) {
  return {.m = g.m,
          .n = g.n,
          .k = g.k,
          .a_row = g.a_row,
          .a_col = g.a_col,
          .a_batch = g.a_batch,
          .b_row = g.b_row,
          .b_col = g.b_col,
          .b_batch = g.b_batch,
          .c_row = g.c_row,
          .c_batch = g.c_batch,
          .accumulate = g.accumulate,
          .bias = g.bias,
          .activation = g.relu};
}

void run_gemm(GpuQueue& q, DType dtype, const GpuGemm& g, Index batch, double alpha, const GpuGemmMemory& m) {
  constexpr Index side = 64;
  const auto tiles = [](Index extent) { return (extent + side - 1) / side; };
  q.run("gemm", dtype, {{tiles(g.n), tiles(g.m), batch}, {16, 16, 1}}, m.a, m.b, m.bias, m.y, m.z, g, alpha);
}

}  // namespace pleiad
