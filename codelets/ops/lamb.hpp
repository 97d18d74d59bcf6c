#pragma once
#include "codelets/op.hpp"

namespace pleiad {

struct LambAttrs {
  double beta1 = 0.9, beta2 = 0.999, eps = 1e-6, weight_decay = 0;
};
/// First phase of LAMB (You et al. 2020): updates the averages as Adam does, and gives the direction r = m / (sqrt(v) +
/// eps) + weight_decay p with corrected m and v, and the sums of squares of p and r over the whole parameter. Averages,
/// r and sums: of the wide dtype. Attributes: LambAttrs. Not differentiable.
extern const Op lamb_direction;
/// Second phase: p -= lr |p| / |r| r; a ratio with a norm of 0 counts as 1.
extern const Op lamb;

}  // namespace pleiad
