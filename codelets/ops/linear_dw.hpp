#pragma once
#include "codelets/op.hpp"

namespace pleiad {

/// Gradients of the weight and bias of a linear op: dw = dz^T x, db = the sum of dz over the batch. The notation is an
/// attribute: "bo,bI->oI,o".
extern const Op linear_dw;

}  // namespace pleiad
