#pragma once
#include "codelets/op.hpp"

namespace pleiad {

/// y = silu(gate) up, silu(x) = x sigmoid(x). gate, up, y: one shape.
extern const Op swiglu;
/// dgate, dup from gate, up, dy.
extern const Op swiglu_grad;

}  // namespace pleiad
