#include <algorithm>

#include "codelets/gpu/device.hpp"
#include "codelets/gpu/opencl_queue.hpp"

namespace pleiad {
namespace {

std::size_t memory_bytes_of(cl_device_id device) {
  cl_ulong bytes = 0;
  check_opencl(clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof bytes, &bytes, nullptr), "clGetDeviceInfo");
  return bytes;
}

bool is_cpu(cl_device_id device) {
  cl_device_type type = 0;
  check_opencl(clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, nullptr), "clGetDeviceInfo");
  return (type & CL_DEVICE_TYPE_CPU) != 0;
}

std::string name_of(cl_device_id device) {
  char name[256] = {};
  clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name - 1, name, nullptr);
  return std::string("opencl: ") + name;
}

class OpenclDevice final : public GpuDevice {
 public:
  explicit OpenclDevice(cl_device_id device)
      : name_(name_of(device)),
        memory_bytes_(memory_bytes_of(device)),
        is_cpu_(pleiad::is_cpu(device)),
        context_(make_context(device)),
        commands_(make_queue(context_.get(), device)),
        queue_(commands_.get()) {}

  const std::string& name() const override { return name_; }
  std::size_t memory_bytes() const override { return memory_bytes_; }
  bool is_cpu() const override { return is_cpu_; }
  GpuQueue& queue() override { return queue_; }
  void finish() override { check_opencl(clFinish(commands_.get()), "clFinish"); }

  GpuMemory allocate(std::size_t bytes) override {
    cl_int code = CL_SUCCESS;
    cl_mem memory = clCreateBuffer(context_.get(), CL_MEM_READ_WRITE, bytes, nullptr, &code);
    check_opencl(code, "clCreateBuffer of " + std::to_string(bytes) + " bytes");
    return {memory};
  }
  void free(GpuMemory m) noexcept override { clReleaseMemObject(memory_of(m)); }
  GpuMemory slice(GpuMemory m, std::size_t offset, std::size_t bytes) override {
    const cl_buffer_region region{offset, bytes};
    cl_int code = CL_SUCCESS;
    cl_mem part = clCreateSubBuffer(memory_of(m), CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    check_opencl(code, "clCreateSubBuffer");
    return {part};
  }
  void write(GpuMemory m, std::span<const std::byte> bytes) override {
    check_opencl(clEnqueueWriteBuffer(commands_.get(), memory_of(m), CL_TRUE, 0, bytes.size(), bytes.data(), 0, nullptr,
                                      nullptr),
                 "clEnqueueWriteBuffer");
  }
  void read(GpuMemory m, std::span<std::byte> bytes) override {
    check_opencl(
        clEnqueueReadBuffer(commands_.get(), memory_of(m), CL_TRUE, 0, bytes.size(), bytes.data(), 0, nullptr, nullptr),
        "clEnqueueReadBuffer");
  }

 private:
  static cl_mem memory_of(GpuMemory m) { return static_cast<cl_mem>(m.handle); }
  static cl_context make_context(cl_device_id device) {
    cl_int code = CL_SUCCESS;
    cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
    check_opencl(code, "clCreateContext");
    return context;
  }
  static cl_command_queue make_queue(cl_context context, cl_device_id device) {
    cl_int code = CL_SUCCESS;
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
    check_opencl(code, "clCreateCommandQueue");
    return queue;
  }

  std::string name_;
  std::size_t memory_bytes_;
  bool is_cpu_;
  Opencl<cl_context> context_;
  Opencl<cl_command_queue> commands_;
  OpenclQueue queue_;
};

std::vector<cl_platform_id> platforms() {
  cl_uint n = 0;
  if (clGetPlatformIDs(0, nullptr, &n) != CL_SUCCESS) return {};  // no platform is an error there
  std::vector<cl_platform_id> all(n);
  check_opencl(clGetPlatformIDs(n, all.data(), nullptr), "clGetPlatformIDs");
  return all;
}

std::vector<cl_device_id> devices_of(cl_platform_id platform) {
  cl_uint n = 0;
  if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &n) != CL_SUCCESS) return {};
  std::vector<cl_device_id> all(n);
  check_opencl(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, n, all.data(), nullptr), "clGetDeviceIDs");
  return all;
}

}  // namespace

std::vector<std::unique_ptr<GpuDevice>> opencl_devices() {
  std::vector<std::unique_ptr<GpuDevice>> devices;
  for (cl_platform_id platform : platforms())
    for (cl_device_id device : devices_of(platform)) devices.push_back(std::make_unique<OpenclDevice>(device));
  const auto is_cpu = [](const auto& d) { return d->is_cpu(); };
  if (!std::ranges::all_of(devices, is_cpu)) std::erase_if(devices, is_cpu);
  return devices;
}

std::unique_ptr<GpuQueue> opencl_queue(void* command_queue) {
  return std::make_unique<OpenclQueue>(static_cast<cl_command_queue>(command_queue));
}

}  // namespace pleiad
