#pragma once
#include "codelets/conv/conv.hpp"
#include "codelets/gpu/queue.hpp"

namespace pleiad {

/// y = relu?(conv(x, w) + bias?); `bias` may be null.
void gpu_convolve(GpuQueue&, const Conv&, const Tile& x, const Tile& w, const Tile* bias, bool relu, const Tile& y);
/// dx from dy and w.
void gpu_convolve_back(GpuQueue&, const Conv&, const Tile& dy, const Tile& w, const Tile& dx);
/// dw from dy and x. Takes the queue's scratch.
void gpu_correlate(GpuQueue&, const Conv&, const Tile& dy, const Tile& x, const Tile& dw);

}  // namespace pleiad
