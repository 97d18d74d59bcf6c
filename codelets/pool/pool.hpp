#pragma once
#include "codelets/base/gpu_arguments.h"
#include "codelets/gpu/queue.hpp"
#include "codelets/op.hpp"
#include "codelets/pool/spans.hpp"

namespace pleiad {

/// Windows of a pooling op over channels-last images.
struct Windows {
  Spans rows, cols;

  double area(Index p, Index q) const {
    return static_cast<double>(rows.extent[static_cast<std::size_t>(p)] * cols.extent[static_cast<std::size_t>(q)]);
  }
};

/// Kernel, stride and padding of a sliding pool, rows first.
struct PoolAttrs {
  std::array<std::int32_t, 2> kernel{2, 2}, stride{2, 2}, padding{0, 0};
  bool count_padding = true;              // a mean divides by the whole window, even where it covers padding
  std::array<std::int32_t, 2> extents{};  // of the images; set by the gradient rule
};

/// Windows of images [batch, H, W, channels] pooled to [batch, P, Q, channels].
Windows sliding_windows(const PoolAttrs&, const Tile& image, const Tile& pooled);
Windows adaptive_windows(const Tile& image, const Tile& pooled);

/// The same for kernels on GPUs.
GpuPool gpu_sliding(const PoolAttrs&, const Tile& image, const Tile& pooled);
GpuPool gpu_adaptive(const Tile& image, const Tile& pooled);

/// Places of a sliding window along a direction (0: rows, 1: columns) of an image; throws ShapeError if there is none.
Index pool_extent(std::string_view op, const PoolAttrs&, std::size_t direction, Index in);
/// The extent of the images that the gradient rule noted; throws ShapeError if it does not go with the places of dy.
Index pool_noted_image(std::string_view op, const PoolAttrs&, std::size_t direction, Index places);
/// The attributes of the gradient's call.
PoolAttrs with_extents_of(PoolAttrs, const Shape& image);

/// pooled = mean over each window; image: its gradient, spread over the window.
void average(const Windows&, const Tile& image, const Tile& pooled) noexcept;
void average_grad(const Windows&, const Tile& pooled, const Tile& image) noexcept;
void gpu_average(GpuQueue&, const GpuPool&, const Tile& image, const Tile& pooled);
void gpu_average_grad(GpuQueue&, const GpuPool&, const Tile& pooled, const Tile& image);

}  // namespace pleiad
