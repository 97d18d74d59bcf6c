#include <set>

#include "codelets/gpu/cuda_queue.hpp"
#include "codelets/gpu/device.hpp"

namespace pleiad {
namespace {

class CudaDevice final : public GpuDevice {
 public:
  explicit CudaDevice(int number) : number_(number) {
    use();
    cudaDeviceProp properties;
    check_cuda(cudaGetDeviceProperties(&properties, number), "cudaGetDeviceProperties");
    name_ = properties.name;
    memory_bytes_ = properties.totalGlobalMem;
    check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
    queue_ = std::make_unique<CudaQueue>(stream_);
  }
  ~CudaDevice() override {
    queue_.reset();
    cudaStreamDestroy(stream_);
  }
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;

  const std::string& name() const override { return name_; }
  std::size_t memory_bytes() const override { return memory_bytes_; }
  GpuQueue& queue() override {
    use();
    return *queue_;
  }
  void finish() override { check_cuda(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

  GpuMemory allocate(std::size_t bytes) override {
    use();
    void* memory = nullptr;
    check_cuda(cudaMalloc(&memory, bytes), "cudaMalloc of " + std::to_string(bytes) + " bytes");
    allocated_.insert(memory);
    return {memory};
  }
  void free(GpuMemory m) noexcept override {
    if (allocated_.erase(m.handle) > 0) cudaFree(m.handle);
  }
  GpuMemory slice(GpuMemory m, std::size_t offset, std::size_t) override {
    return {static_cast<std::byte*>(m.handle) + offset};
  }
  void write(GpuMemory m, std::span<const std::byte> bytes) override {
    check_cuda(cudaMemcpyAsync(m.handle, bytes.data(), bytes.size(), cudaMemcpyHostToDevice, stream_), "cudaMemcpy");
    finish();
  }
  void read(GpuMemory m, std::span<std::byte> bytes) override {
    check_cuda(cudaMemcpyAsync(bytes.data(), m.handle, bytes.size(), cudaMemcpyDeviceToHost, stream_), "cudaMemcpy");
    finish();
  }

 private:
  void use() const { check_cuda(cudaSetDevice(number_), "cudaSetDevice"); }

  int number_;
  std::string name_;
  std::size_t memory_bytes_ = 0;
  cudaStream_t stream_ = nullptr;
  std::unique_ptr<CudaQueue> queue_;
  std::set<void*> allocated_;  // slices are not
};

}  // namespace

int cuda_device_count() {
  int n = 0;
  const cudaError_t code = cudaGetDeviceCount(&n);
  if (code == cudaErrorNoDevice || code == cudaErrorInsufficientDriver) return 0;
  check_cuda(code, "cudaGetDeviceCount");
  return n;
}

std::vector<std::unique_ptr<GpuDevice>> cuda_devices() {
  std::vector<std::unique_ptr<GpuDevice>> devices;
  for (int i = 0; i < cuda_device_count(); ++i) devices.push_back(std::make_unique<CudaDevice>(i));
  return devices;
}

}  // namespace pleiad
