#include "codelets/gpu/queue.hpp"

#include <algorithm>

namespace pleiad {

GpuGrid grid_of_elements(Index n) {
  constexpr Index group_size = 256, most_groups = 4096;
  return grid_of_groups(std::clamp<Index>((n + group_size - 1) / group_size, 1, most_groups), group_size);
}

bool GpuQueue::multiply(DType, const GpuGemm&, Index, double, const GpuGemmMemory&) { return false; }

}  // namespace pleiad
