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
  virtual std::size_t memory_bytes() const = 0;
  /// A CPU in the role of a GPU: its memory is the host's, its cores are those of the CPU workers.
  virtual bool is_cpu() const { return false; }
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

/// The GPUs and accelerators that OpenCL offers; where it has none, its CPUs.
std::vector<std::unique_ptr<GpuDevice>> opencl_devices();
/// Cheap; 0 in a build without CUDA.
int cuda_device_count();
/// Every CUDA device; none in a build without CUDA.
std::vector<std::unique_ptr<GpuDevice>> cuda_devices();

/// On a command queue or stream that is somebody else's and outlives it: a cl_command_queue, which is in order.
std::unique_ptr<GpuQueue> opencl_queue(void* command_queue);
/// A cudaStream_t of the current device. Throws Error (Exit::internal) in a build without CUDA.
std::unique_ptr<GpuQueue> cuda_queue(void* stream);

}  // namespace pleiad
