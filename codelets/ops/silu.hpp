#pragma once
#include "codelets/op.hpp"

namespace pleiad {

/// y = x / (1 + exp(-x)). x, y: any shape.
extern const Op silu;
/// dx = dy silu'(x). x, dy, dx: one shape.
extern const Op silu_grad;

}  // namespace pleiad
