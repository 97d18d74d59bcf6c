#include "codelets/base/error.hpp"
#include "codelets/gpu/device.hpp"

namespace pleiad {

int cuda_device_count() { return 0; }

std::vector<std::unique_ptr<GpuDevice>> cuda_devices() { return {}; }

std::unique_ptr<GpuQueue> cuda_queue(void*) { throw Error(Exit::internal, "a CUDA worker in a build without CUDA"); }

}  // namespace pleiad
