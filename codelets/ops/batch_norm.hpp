#pragma once
#include "codelets/op.hpp"

namespace pleiad {

struct BatchNormAttrs {
  double eps = 1e-5;
  bool relu = false;  // y = max(y, 0)
};

/// Batch normalisation for evaluation: y = (x - running_mean) / sqrt(running_var + eps) weight + bias. x: channels
/// last; parameters and statistics: one a channel, of the wide dtype. Not differentiable. Attributes: BatchNormAttrs.
extern const Op batch_norm;

/// The same for training (Ioffe and Szegedy 2015), with the statistics that batch_norm_stats made from the whole x. The
/// gradient for x includes what flows through these. Attributes: BatchNormAttrs.
extern const Op batch_norm_elemt;
/// Gradients of weight and bias, sums over all rows of the batch; dx needs them too.
extern const Op batch_norm_backward_reduce;
/// Gradient of x.
extern const Op batch_norm_backward_elemt;

}  // namespace pleiad
