#pragma once
#include "codelets/op.hpp"

namespace pleiad {

/// loss = mean over all elements of -(t log s(x) + (1 - t) log(1 - s(x))), s the logistic function, whatever the size
/// of x. x, target (in [0, 1]): one shape; loss: a scalar in the wide dtype.
extern const Op binary_cross_entropy_with_logits;
extern const Op binary_cross_entropy_with_logits_grad;

}  // namespace pleiad
