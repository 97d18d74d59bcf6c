#pragma once
#include "codelets/op.hpp"

namespace pleiad {

/// y = gelu(gate) up, with the gelu of the op of that name. gate, up, y: one shape.
extern const Op geglu;
/// dgate, dup from gate, up, dy.
extern const Op geglu_grad;

}  // namespace pleiad
