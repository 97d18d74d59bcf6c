#pragma once
#include "codelets/op.hpp"

namespace pleiad {

/// Mean cross-entropy of softmax(logits), and its gradient. ids: one class a row, negative = ignored; count: number of
/// ids that are not, in the whole batch, so that tiles need not wait for each other (0 counts as 1). loss: scalar;
/// dlogits: gradient of the loss, already divided by the count.
extern const Op softmax_cross_entropy;

}  // namespace pleiad
