#pragma once
#include "codelets/op.hpp"

namespace pleiad {

struct LionAttrs {
  double beta1 = 0.9, beta2 = 0.99, weight_decay = 0;
};
/// Lion (Chen et al. 2023): p -= lr (sign(beta1 exp_avg + (1 - beta1) g) + weight_decay p), then exp_avg = beta2
/// exp_avg + (1 - beta2) g. exp_avg: of the wide dtype, starts at 0. Attributes: LionAttrs. Not differentiable.
extern const Op lion;

}  // namespace pleiad
