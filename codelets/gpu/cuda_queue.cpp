#include "codelets/gpu/cuda_queue.hpp"

#include <map>
#include <memory>
#include <vector>

#include "codelets/base/error.hpp"
#include "codelets/gpu/cuda_kernels.hpp"
#include "codelets/gpu/device.hpp"

namespace pleiad {
namespace {

const void* function_of(std::string_view kernel, DType dtype) {
  static const auto table = [] {
    std::map<std::pair<std::string_view, DType>, const void*> functions;
    for (const auto& text : cuda_kernels())
      for (const CudaKernel& k : text) functions[{k.name, k.dtype}] = k.function;
    return functions;
  }();
  const auto it = table.find({kernel, dtype});
  if (it == table.end())
    throw Error(Exit::internal,
                "no kernel text (*.gpu) has KERNEL(" + std::string(kernel) + ") for " + std::string(name_of(dtype)));
  return it->second;
}

/// Arguments as cudaLaunchKernel takes them: the address of each. Numbers are kept in the kernel's type.
class Arguments {
 public:
  Arguments(std::span<const GpuArgument> arguments, DType dtype) : numbers_(arguments.size()) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const GpuArgument& a = arguments[i];
      void* number = &numbers_[i];
      if (a.kind() == GpuArgument::Kind::real) a.as_real(dtype, [&](auto x) { std::memcpy(number, &x, sizeof x); });
      addresses_.push_back(a.kind() == GpuArgument::Kind::real ? number : const_cast<void*>(a.data()));
    }
  }
  void** addresses() { return addresses_.data(); }

 private:
  std::vector<double> numbers_;
  std::vector<void*> addresses_;
};

dim3 dimensions(const auto& d) {
  return {static_cast<unsigned>(d[0]), static_cast<unsigned>(d[1]), static_cast<unsigned>(d[2])};
}

}  // namespace

void check_cuda(cudaError_t code, const std::string& call) {
  if (code != cudaSuccess)
    throw Error(Exit::hardware,
                "CUDA: " + call + " failed with code " + std::to_string(code) + ": " + cudaGetErrorString(code));
}

CudaQueue::~CudaQueue() {
  if (cublas_ != nullptr) cublasDestroy(cublas_);
  if (scratch_ != nullptr) cudaFreeAsync(scratch_, stream_);
}

GpuMemory CudaQueue::scratch(std::size_t bytes) {
  if (bytes > scratch_bytes_) {
    if (scratch_ != nullptr) check_cuda(cudaFreeAsync(std::exchange(scratch_, nullptr), stream_), "cudaFreeAsync");
    scratch_bytes_ = 0;
    check_cuda(cudaMallocAsync(&scratch_, bytes, stream_), "cudaMallocAsync of " + std::to_string(bytes) + " bytes");
    scratch_bytes_ = bytes;
  }
  return {scratch_};
}

void CudaQueue::prepare(std::string_view kernel, DType dtype) {
  cudaFuncAttributes attributes;
  check_cuda(cudaFuncGetAttributes(&attributes, function_of(kernel, dtype)), "loading kernel " + std::string(kernel));
}

void CudaQueue::start(std::string_view kernel, DType dtype, const GpuGrid& grid,
                      std::span<const GpuArgument> arguments) {
  Arguments all(arguments, dtype);
  check_cuda(cudaLaunchKernel(function_of(kernel, dtype), dimensions(grid.groups), dimensions(grid.group_size),
                              all.addresses(), 0, stream_),
             "starting kernel " + std::string(kernel));
}

std::unique_ptr<GpuQueue> cuda_queue(void* stream) {
  return std::make_unique<CudaQueue>(static_cast<cudaStream_t>(stream));
}

}  // namespace pleiad
