#pragma once
#include "codelets/op.hpp"

namespace pleiad {

/// loss = mean of |x - target| over all elements; its gradient is 0 where they are equal. x, target: one shape; loss: a
/// scalar in the wide dtype.
extern const Op l1_loss;
extern const Op l1_loss_grad;

}  // namespace pleiad
