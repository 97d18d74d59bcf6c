#pragma once
#include <span>
#include <string>
#include <string_view>

#include "codelets/base/dtype.hpp"

namespace pleiad {

/// A file of kernel texts (*.gpu), embedded by CMake.
struct GpuText {
  std::string_view file;  // "relu.gpu"
  std::string_view text;
  bool ids;  // also compiled for i32
};
struct GpuKernelName {
  std::string_view name;  // of KERNEL(name)
  std::size_t text;       // index into gpu_texts()
};
std::span<const GpuText> gpu_texts();
/// Sorted by name.
std::span<const GpuKernelName> gpu_kernel_names();
/// The language that texts are written in: what is compiled ahead of each.
std::string_view gpu_language();

/// Index into gpu_texts() of the text with that kernel. Throws Error (Exit::internal) if there is none.
std::size_t gpu_text_of(std::string_view kernel);
/// Complete OpenCL C for tensors of one dtype.
std::string opencl_source(const GpuText&, DType);

}  // namespace pleiad
