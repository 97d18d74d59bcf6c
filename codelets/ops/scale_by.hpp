#pragma once
#include "codelets/op.hpp"

namespace pleiad {

/// y = factor * x. x, y: any shape; factor: a scalar tensor in the wide dtype. Not differentiable: it clips gradients.
extern const Op scale_by;

}  // namespace pleiad
