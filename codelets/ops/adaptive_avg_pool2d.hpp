#pragma once
#include "codelets/op.hpp"

namespace pleiad {

/// Rows and columns: of y in adaptive_avg_pool2d, of dx in its gradient.
struct AdaptivePoolAttrs {
  std::array<std::int32_t, 2> extents{1, 1};
};

/// Mean over windows that split an image evenly; over the whole image by default. x: [batch, H, W, channels];
/// y: [batch, P, Q, channels]. Attributes: AdaptivePoolAttrs.
extern const Op adaptive_avg_pool2d;
/// dx from dy.
extern const Op adaptive_avg_pool2d_grad;

}  // namespace pleiad
