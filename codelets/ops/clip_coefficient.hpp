#pragma once
#include "codelets/op.hpp"

namespace pleiad {

struct ClipAttrs {
  double max_norm = 1;
};
/// PyTorch's clip_grad_norm_: from the sum of squares of all gradients, norm = sqrt(norm2) and what to multiply
/// gradients with, coefficient = min(1, max_norm / (norm + 1e-6)). All scalars. Attributes: ClipAttrs.
extern const Op clip_coefficient;

}  // namespace pleiad
