#pragma once
#include "codelets/op.hpp"

namespace pleiad {

/// y = max(x, 0). x, y: any shape.
extern const Op relu;
/// dx = dy where y > 0, else 0. y (the output of relu), dy, dx: one shape.
extern const Op relu_grad;

}  // namespace pleiad
