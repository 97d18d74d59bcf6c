#pragma once
#include "codelets/op.hpp"

namespace pleiad {

/// Mean cross-entropy of softmax(x w^T), and its gradients, without ever holding all logits: in blocks of rows. x:
/// [..., channel]; w: [class, channel]; ids, count, loss: as for softmax_cross_entropy; dx, dw: gradients of the loss.
extern const Op linear_cross_entropy;
/// The loss alone, for evaluation. Its gradient is linear_cross_entropy, at the price of a third more work.
extern const Op linear_cross_entropy_loss;

}  // namespace pleiad
