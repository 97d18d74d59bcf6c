#pragma once
#include "codelets/op.hpp"

namespace pleiad {

/// y = exp(x) / sum of exp(x) over the last axis, whatever the size of x.
extern const Op softmax;
/// dx = y (dy - sum of y dy over the last axis). y: the output of softmax.
extern const Op softmax_grad;

}  // namespace pleiad
