#pragma once
#include "codelets/op.hpp"

namespace pleiad {

/// loss = mean of (x - target)^2 over all elements. x, target: one shape; loss: a scalar in the wide dtype.
extern const Op mse_loss;
extern const Op mse_loss_grad;

}  // namespace pleiad
