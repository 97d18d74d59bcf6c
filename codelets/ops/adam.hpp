#pragma once
#include "codelets/op.hpp"

namespace pleiad {

struct AdamAttrs {
  double beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0;
};
/// PyTorch's Adam (Kingma and Ba 2015); weight decay is added to the gradient. exp_avg and exp_avg_sq: of the wide
/// dtype, start at 0. Bias correction takes the number of the step. Attributes: AdamAttrs.
extern const Op adam;
/// PyTorch's AdamW (Loshchilov and Hutter 2019): the same, but p is first multiplied by 1 - lr weight_decay.
extern const Op adamw;

}  // namespace pleiad
