#pragma once
#include "codelets/gpu/kernel.hpp"
#include "codelets/gpu/sum_parts.hpp"

namespace pleiad {

/// Operands of softmax and log_softmax, or of their gradients: [y, dy ->] inputs first, one output.
template <gpu::Name kernel, bool log_of>
void launch_rows(const Call& c, GpuQueue& q) {
  const Tile& y = c.tiles.back();
  const Index n = y.shape.back(), rows = y.size() / n;
  const GpuGrid grid = grid_of_groups(groups_of_rows(rows), 256);
  if (c.tiles.size() == 2)
    q.run(kernel.text, y.dtype, grid, c[0], y, rows, n, log_of, y.accumulate);
  else
    q.run(kernel.text, y.dtype, grid, c[0], c[1], y, rows, n, log_of, y.accumulate);
}

}  // namespace pleiad
