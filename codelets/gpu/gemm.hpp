#pragma once
#include "codelets/base/gpu_arguments.h"
#include "codelets/blas/gemm.hpp"
#include "codelets/gpu/queue.hpp"

namespace pleiad {

/// Operands of a product on a GPU. `z` also gets what the activation is applied to, if the GpuGemm says so; bias and z
/// may be any memory where they are not used.
struct GpuGemmMemory {
  GpuMemory a, b, bias, y, z;
};
/// The shape of a product for the portable kernel; its `alpha` is an argument of its own.
GpuGemm gpu_gemm(const Gemm&);
void run_gemm(GpuQueue&, DType, const GpuGemm&, Index batch, double alpha, const GpuGemmMemory&);

}  // namespace pleiad
