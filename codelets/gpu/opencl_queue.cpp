#include "codelets/gpu/opencl_queue.hpp"

#include <string>

#include "codelets/base/error.hpp"
#include "codelets/gpu/texts.hpp"

namespace pleiad {
namespace {

/// One of the handles that belong to a queue.
void* queue_info(cl_command_queue queue, cl_command_queue_info what) {
  void* handle = nullptr;
  check_opencl(clGetCommandQueueInfo(queue, what, sizeof(void*), static_cast<void*>(&handle), nullptr),
               "clGetCommandQueueInfo");
  return handle;
}

std::string build_log(cl_program program, cl_device_id device) {
  std::size_t size = 0;
  clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
  std::string log(size, '\0');
  clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
  return log;
}

void set_argument(cl_kernel kernel, cl_uint i, const GpuArgument& a, DType dtype) {
  const auto set = [&](const auto& value) { return clSetKernelArg(kernel, i, sizeof value, &value); };
  cl_int code = CL_SUCCESS;
  if (a.kind() != GpuArgument::Kind::real)
    code = clSetKernelArg(kernel, i, a.size(), a.data());
  else
    code = a.as_real(dtype, set);
  if (code != CL_SUCCESS) check_opencl(code, "clSetKernelArg of argument " + std::to_string(i));
}

}  // namespace

void check_opencl(cl_int code, const std::string& call) {
  if (code != CL_SUCCESS) throw Error(Exit::hardware, "OpenCL: " + call + " failed with code " + std::to_string(code));
}

OpenclQueue::OpenclQueue(cl_command_queue queue)
    : queue_(queue),
      context_(static_cast<cl_context>(queue_info(queue, CL_QUEUE_CONTEXT))),
      device_(static_cast<cl_device_id>(queue_info(queue, CL_QUEUE_DEVICE))) {}

GpuMemory OpenclQueue::scratch(std::size_t bytes) {
  if (bytes > scratch_bytes_) {
    cl_int code = CL_SUCCESS;
    scratch_.reset(clCreateBuffer(context_, CL_MEM_READ_WRITE, bytes, nullptr, &code));
    check_opencl(code, "clCreateBuffer of " + std::to_string(bytes) + " bytes");
    scratch_bytes_ = bytes;
  }
  return {scratch_.get()};
}

cl_program OpenclQueue::program_of(std::size_t text, DType dtype) {
  auto& program = programs_[{text, dtype}];
  if (program) return program.get();
  const GpuText& t = gpu_texts()[text];
  const std::string source = opencl_source(t, dtype);
  const char* lines = source.c_str();
  cl_int code = CL_SUCCESS;
  Opencl<cl_program> built(clCreateProgramWithSource(context_, 1, &lines, nullptr, &code));
  check_opencl(code, "clCreateProgramWithSource");
  if (clBuildProgram(built.get(), 1, &device_, "", nullptr, nullptr) != CL_SUCCESS)
    throw Error(Exit::hardware, std::string("OpenCL cannot compile ").append(t.file) + " for " +
                                    std::string(name_of(dtype)) + ":\n" + build_log(built.get(), device_));
  program = std::move(built);
  return program.get();
}

cl_kernel OpenclQueue::kernel_of(std::string_view name, DType dtype) {
  if (const auto known = kernels_.find({name, dtype}); known != kernels_.end()) return known->second.get();
  const std::size_t text = gpu_text_of(name);
  cl_int code = CL_SUCCESS;
  Opencl<cl_kernel> kernel(clCreateKernel(program_of(text, dtype), (std::string(name) + "_kernel").c_str(), &code));
  check_opencl(code, "clCreateKernel of " + std::string(name));
  return (kernels_[{name, dtype}] = std::move(kernel)).get();
}

void OpenclQueue::start(std::string_view name, DType dtype, const GpuGrid& grid,
                        std::span<const GpuArgument> arguments) {
  cl_kernel kernel = kernel_of(name, dtype);
  for (std::size_t i = 0; i < arguments.size(); ++i) set_argument(kernel, static_cast<cl_uint>(i), arguments[i], dtype);
  std::array<std::size_t, 3> items, group;
  for (std::size_t d = 0; d < 3; ++d) {
    group[d] = static_cast<std::size_t>(grid.group_size[d]);
    items[d] = static_cast<std::size_t>(grid.groups[d]) * group[d];
  }
  check_opencl(clEnqueueNDRangeKernel(queue_, kernel, 3, nullptr, items.data(), group.data(), 0, nullptr, nullptr),
               "starting kernel " + std::string(name));
}

}  // namespace pleiad
