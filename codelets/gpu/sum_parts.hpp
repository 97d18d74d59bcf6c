#pragma once
#include <algorithm>

#include "codelets/gpu/queue.hpp"

namespace pleiad {

/// Room in the queue's scratch for n numbers of the wide type, one a group.
inline GpuMemory scratch_of_parts(GpuQueue& q, DType dtype, Index n) {
  return q.scratch(static_cast<std::size_t>(n) * size_of(wide_of(dtype)));
}
/// Groups for a kernel whose groups take rows in turn.
inline Index groups_of_rows(Index rows) { return std::min<Index>(rows, 4096); }
/// y = scale times the sum of n parts (or y += it); y is a scalar of the wide type.
inline void sum_parts(GpuQueue& q, DType dtype, GpuMemory parts, Index n, double scale, const Tile& y) {
  q.run("sum_parts", dtype, grid_of_groups(1, 256), parts, n, scale, y, y.accumulate);
}

}  // namespace pleiad
