#pragma once
#include <memory>
#include <string>
#include <vector>

#include "codelets/gpu/queue.hpp"

namespace pleiad {

/// A GPU with memory and a queue of our own: for tests and for timing kernels. (In a run they are StarPU's.)
class GpuDevice {
 public:
  virtual ~GpuDevice() = default;
  virtual const std::string& name() const = 0;  // "opencl: NVIDIA H200"
  virtual GpuQueue& queue() = 0;
  /// Waits for what was started on the queue.
  virtual void finish() = 0;
  virtual GpuMemory allocate(std::size_t bytes) = 0;
  virtual void free(GpuMemory) noexcept = 0;
  /// The part of an allocation that starts at `offset`, a multiple of kSliceAlignment; freed like an allocation, before
  /// the whole.
  virtual GpuMemory slice(GpuMemory, std::size_t offset, std::size_t bytes) = 0;
  static constexpr std::size_t kSliceAlignment = 512;
  /// Both block.
  virtual void write(GpuMemory, std::span<const std::byte>) = 0;
  virtual void read(GpuMemory, std::span<std::byte>) = 0;
};

/// Every device that OpenCL offers, its CPU devices included; none if there is no platform.
std::vector<std::unique_ptr<GpuDevice>> opencl_devices();
/// Every CUDA device; none in a build without CUDA.
std::vector<std::unique_ptr<GpuDevice>> cuda_devices();

}  // namespace pleiad
