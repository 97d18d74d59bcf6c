#pragma once
#include "codelets/pool/pool.hpp"

namespace pleiad {

/// Mean of each window. x: [batch, H, W, channels]; y: [batch, P, Q, channels]. Attributes: PoolAttrs.
extern const Op avg_pool2d;
/// dx from dy.
extern const Op avg_pool2d_grad;

}  // namespace pleiad
