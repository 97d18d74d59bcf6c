#pragma once
#include "codelets/blas/contraction.hpp"
#include "codelets/gpu/queue.hpp"

namespace pleiad {

/// Whether `run_contraction` can run it: it has no more loops than a kernel takes.
bool gpu_can_contract(const Contraction&);
/// The contraction of a call's tiles, multiplied by `scale`; at least one input.
void run_contraction(GpuQueue&, const Contraction&, std::span<const Tile>, double scale);

}  // namespace pleiad
