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

namespace {

bool has_epilogue(const GpuGemm& g) { return g.bias != 0 || g.activation != 0 || g.keep != 0; }

/// By the vendor's library, then bias and activation by a kernel of ours. They are applied to the sum as it is stored,
/// so nothing may have been there before.
bool multiply(GpuQueue& q, DType dtype, const GpuGemm& g, Index batch, double alpha, const GpuGemmMemory& m) {
  const bool epilogue = has_epilogue(g);
  if (epilogue && (g.accumulate != 0 || dtype == DType::bf16)) return false;
  if (!q.multiply(dtype, g, batch, alpha, m)) return false;
  const Index elements = batch * g.m * g.n;
  if (epilogue) q.run("gemm_epilogue", dtype, grid_of_elements(elements), m.bias, m.y, m.z, g, elements);
  return true;
}

}  // namespace

void run_gemm(GpuQueue& q, DType dtype, const GpuGemm& g, Index batch, double alpha, const GpuGemmMemory& m) {
  if (multiply(q, dtype, g, batch, alpha, m)) return;
  constexpr Index side = 64;
  const auto tiles = [](Index extent) { return (extent + side - 1) / side; };
  q.run("gemm", dtype, {{tiles(g.n), tiles(g.m), batch}, {16, 16, 1}}, m.a, m.b, m.bias, m.y, m.z, g, alpha);
}

}  // namespace pleiad
