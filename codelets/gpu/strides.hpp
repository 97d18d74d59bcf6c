#pragma once
#include <algorithm>

#include "codelets/base/gpu_arguments.h"

namespace pleiad {

/// How far apart in memory neighbours along each dimension of a dense tensor lie.
inline Shape row_major_strides(const Shape& shape) {
  Shape strides = shape;
  Index stride = 1;
  for (std::size_t d = shape.rank(); d-- > 0; stride *= shape[d]) strides[d] = stride;
  return strides;
}
inline GpuStrides gpu_strides(const Shape& extents, const Shape& strides) {
  GpuStrides s{};
  s.rank = static_cast<int>(extents.rank());
  std::copy(extents.begin(), extents.end(), s.extent);
  std::copy(strides.begin(), strides.end(), s.stride);
  return s;
}

}  // namespace pleiad
