#pragma once
#include "codelets/base/gpu_arguments.h"
#include "codelets/blas/gemm.hpp"
#include "codelets/gpu/queue.hpp"

namespace pleiad {

/// The shape of a product for the portable kernel; its `alpha` is an argument of its own.
GpuGemm gpu_gemm(const Gemm&);
/// By the vendor's library where the queue has one, else by the portable kernel.
void run_gemm(GpuQueue&, DType, const GpuGemm&, Index batch, double alpha, const GpuGemmMemory&);

}  // namespace pleiad
