#pragma once
#include "codelets/op.hpp"

namespace pleiad {

struct HuberAttrs {
  double delta = 1;
};
/// loss = mean over all elements of d^2 / 2 where |d| < delta, else delta (|d| - delta / 2), d = x - target. x, target:
/// one shape; loss: a scalar in the wide dtype. Attributes: HuberAttrs.
extern const Op huber_loss;
extern const Op huber_loss_grad;

}  // namespace pleiad
