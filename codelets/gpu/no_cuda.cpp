#include "codelets/gpu/device.hpp"

namespace pleiad {

std::vector<std::unique_ptr<GpuDevice>> cuda_devices() { return {}; }

}  // namespace pleiad
