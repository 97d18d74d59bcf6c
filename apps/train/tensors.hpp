#pragma once
#include <cstddef>
#include <vector>

#include "graph/executor.hpp"

namespace pleiad {

/// The whole logical tensor, dense and row-major, in its dtype.
std::vector<std::byte> read_tensor(const Executor&, const Graph&, Sym);
/// A kept scalar of any float type.
double read_scalar(const Executor&, const Graph&, Sym);
/// Floats as the storage type.
std::vector<std::byte> converted(const std::vector<float>& values, DType);

}  // namespace pleiad
