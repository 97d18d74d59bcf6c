#pragma once
#include "codelets/op.hpp"

namespace pleiad {

/// Number of rows, mean and sum of squared deviations from it of each channel, over all rows of the batch however it is
/// cut. x: channels last; count, mean, square: one a channel, of the wide dtype. The gradient of what is computed from
/// them reaches x through batch_norm_elemt.
extern const Op batch_norm_stats;
/// The statistics of two sets of rows together (Chan et al. 1979).
extern const Op batch_norm_gather_stats;

struct BatchNormUpdateAttrs {
  double momentum = 0.1;
};
/// running = (1 - momentum) running + momentum * that of the batch, whose variance is unbiased, as PyTorch has it. Not
/// differentiable. Attributes: BatchNormUpdateAttrs.
extern const Op batch_norm_update_stats;

}  // namespace pleiad
