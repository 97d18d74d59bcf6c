#pragma once
#include "codelets/op.hpp"

namespace pleiad {

/// Gradients of conv2d for its weights and, if there is one, its bias: sums over the batch of products of dy and x. By
/// the attributes of the forward call and the extents of the window. The notation is an attribute, like
/// "nPQk,nHWc->kcRS,k".
extern const Op conv2d_dw;

}  // namespace pleiad
