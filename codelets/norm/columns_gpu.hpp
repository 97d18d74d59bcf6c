#pragma once
#include <algorithm>

#include "codelets/gpu/kernel.hpp"
#include "codelets/gpu/sum_parts.hpp"

// How kernels of columns.gpu sum over rows.

namespace pleiad {

/// Rows of `columns` numbers are summed in chunks; each chunk leaves two sums a column in the queue's scratch.
struct ColumnChunks {
  DType dtype;
  Index rows, columns, chunk, chunks;

  ColumnChunks(const Tile& x, Index of_columns)
      : dtype(x.dtype),
        rows(x.size() / of_columns),
        columns(of_columns),
        chunk(std::max<Index>(64, (rows + 127) / 128)),
        chunks((rows + chunk - 1) / chunk) {}

  GpuGrid grid() const { return {{(columns + 31) / 32, chunks, 1}, {32, 8, 1}}; }
  GpuMemory parts(GpuQueue& q) const {
    return q.scratch(static_cast<std::size_t>(2 * chunks * columns) * size_of(wide_of(dtype)));
  }
  /// y = the first (0) or second (1) sum of each column.
  void sum(GpuQueue& q, GpuMemory parts, Index which, const Tile& y) const {
    q.run("sum_chunks", dtype, grid_of_elements(columns), parts, chunks, Index{2}, which, columns, y, y.accumulate);
  }
};

}  // namespace pleiad
