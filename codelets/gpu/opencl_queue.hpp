#pragma once
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <map>
#include <memory>
#include <utility>

#include "codelets/gpu/queue.hpp"

namespace pleiad {

struct ReleaseOpencl {
  void operator()(cl_program p) const { clReleaseProgram(p); }
  void operator()(cl_kernel k) const { clReleaseKernel(k); }
  void operator()(cl_mem m) const { clReleaseMemObject(m); }
  void operator()(cl_context c) const { clReleaseContext(c); }
  void operator()(cl_command_queue q) const { clReleaseCommandQueue(q); }
};
/// Owner of an OpenCL object: Opencl<cl_kernel>.
template <class T>
using Opencl = std::unique_ptr<std::remove_pointer_t<T>, ReleaseOpencl>;

/// Throws Error (Exit::hardware) naming the call and OpenCL's code unless that is CL_SUCCESS.
void check_opencl(cl_int code, const std::string& call);

/// Kernels on an OpenCL command queue, which is borrowed and in order. Compiles texts at first use.
class OpenclQueue final : public GpuQueue {
 public:
  explicit OpenclQueue(cl_command_queue queue);
  GpuMemory scratch(std::size_t bytes) override;
  void prepare(std::string_view kernel, DType dtype) override { kernel_of(kernel, dtype); }

 private:
  void start(std::string_view kernel, DType, const GpuGrid&, std::span<const GpuArgument>) override;
  cl_kernel kernel_of(std::string_view name, DType);
  cl_program program_of(std::size_t text, DType);

  cl_command_queue queue_;
  cl_context context_ = nullptr;
  cl_device_id device_ = nullptr;
  std::map<std::pair<std::size_t, DType>, Opencl<cl_program>> programs_;
  std::map<std::pair<std::string_view, DType>, Opencl<cl_kernel>> kernels_;
  Opencl<cl_mem> scratch_;
  std::size_t scratch_bytes_ = 0;
};

}  // namespace pleiad
