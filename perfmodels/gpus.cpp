#include <memory>

#include "codelets/gpu/device.hpp"
#include "perfmodels/machine.hpp"

namespace pleiad {
namespace {

using Devices = std::vector<std::unique_ptr<GpuDevice>>;

Devices& devices_of_kind(bool cuda) {
  const auto by_cuda = []() -> Devices& {
    static Devices all = cuda_devices();
    return all;
  };
  const auto by_opencl = []() -> Devices& {
    static Devices all = opencl_devices();
    return all;
  };
  return cuda ? by_cuda() : by_opencl();
}

void add(Machine& m, const std::string& kind, int wanted) {
  if (wanted == 0) return;
  const Devices& devices = devices_of_kind(kind == "cuda");
  if (static_cast<int>(devices.size()) < wanted)
    throw Error(Exit::hardware, std::to_string(wanted) + " " + kind + (wanted == 1 ? " device" : " devices") +
                                    " asked for, but there " + (devices.size() == 1 ? "is " : "are ") +
                                    std::to_string(devices.size()) + "\n`pleiad machine` lists what there is");
  for (int i = 0; i < wanted; ++i) {
    const GpuDevice& gpu = *devices[static_cast<std::size_t>(i)];
    const std::string name = kind + std::to_string(i);
    m.workers.push_back(
        {.name = name, .model = gpu.name(), .device = Device::gpu, .memory = static_cast<int>(m.memories.size())});
    m.memories.push_back({.name = name, .bytes = gpu.memory_bytes()});
  }
}

}  // namespace

void add_gpus(Machine& m, int cuda, int opencl) {
  add(m, "cuda", cuda);
  add(m, "opencl", opencl);
}

bool opencl_is_on_cpus() {
  const Devices& devices = devices_of_kind(false);
  return !devices.empty() && devices.front()->is_cpu();
}

GpuDevice& gpu_of(const Worker& w) {
  const bool cuda = w.name.starts_with("cuda");
  const std::string number = w.name.substr(w.name.find_first_of("0123456789"));
  Devices& devices = devices_of_kind(cuda);
  const auto i = static_cast<std::size_t>(std::stoi(number));
  if (i >= devices.size()) throw Error(Exit::hardware, "worker " + w.name + " is not on this machine");
  return *devices[i];
}

}  // namespace pleiad
