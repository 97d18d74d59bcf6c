#pragma once
#include <span>
#include <string_view>

#include "codelets/base/dtype.hpp"

namespace pleiad {

/// A kernel text compiled by nvcc for one storage type.
struct CudaKernel {
  std::string_view name;  // of KERNEL(name)
  DType dtype;
  const void* function;  // as cudaLaunchKernel takes it
};
/// All kernels, a list for each text.
std::span<const std::span<const CudaKernel>> cuda_kernels();

}  // namespace pleiad
