#pragma once
#include "codelets/op.hpp"

namespace pleiad {

/// Mean of -log_probs at the class of each row, and its gradient. ids: one class a row, negative = ignored; count:
/// number of ids that are not, in the whole batch (0 counts as 1). loss: a scalar in the wide dtype; dlog_probs:
/// gradient of the loss, already divided by the count.
extern const Op nll_loss;

}  // namespace pleiad
