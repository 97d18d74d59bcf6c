#pragma once
#include "codelets/pool/pool.hpp"

namespace pleiad {

/// The largest element of each window, and where it is: row * W + column, the first of equals. x: [batch, H, W,
/// channels]; y, indices: [batch, P, Q, channels]. Attributes: PoolAttrs.
extern const Op max_pool2d;
/// dx from dy and the indices.
extern const Op max_pool2d_grad;

}  // namespace pleiad
