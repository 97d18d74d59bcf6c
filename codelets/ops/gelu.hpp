#pragma once
#include "codelets/op.hpp"

namespace pleiad {

/// PyTorch's gelu(approximate="tanh"): y = x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))). x, y: any shape.
extern const Op gelu;
/// dx = dy gelu'(x). x, dy, dx: one shape.
extern const Op gelu_grad;

}  // namespace pleiad
