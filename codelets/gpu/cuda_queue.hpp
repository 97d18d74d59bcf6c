#pragma once
#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <string>

#include "codelets/gpu/queue.hpp"

namespace pleiad {

/// Throws Error (Exit::hardware) naming the call and CUDA's words unless `code` is cudaSuccess.
void check_cuda(cudaError_t code, const std::string& call);

/// Kernels on a stream of the current device, which is borrowed.
class CudaQueue final : public GpuQueue {
 public:
  explicit CudaQueue(cudaStream_t stream) : stream_(stream) {}
  ~CudaQueue() override;
  CudaQueue(const CudaQueue&) = delete;
  CudaQueue& operator=(const CudaQueue&) = delete;

  GpuMemory scratch(std::size_t bytes) override;
  void prepare(std::string_view kernel, DType) override;
  bool multiply(DType, const GpuGemm&, Index batch, double alpha, const GpuGemmMemory&) override;

 private:
  void start(std::string_view kernel, DType, const GpuGrid&, std::span<const GpuArgument>) override;

  cublasHandle_t cublas();

  cudaStream_t stream_;
  cublasHandle_t cublas_ = nullptr;  // made at first use
  void* scratch_ = nullptr;
  std::size_t scratch_bytes_ = 0;
};

}  // namespace pleiad
