#pragma once
#include "codelets/op.hpp"

namespace pleiad {

/// y = x - log of the sum of exp(x) over the last axis.
extern const Op log_softmax;
/// dx = dy - exp(y) * sum of dy over the last axis. y: the output of log_softmax.
extern const Op log_softmax_grad;

}  // namespace pleiad
