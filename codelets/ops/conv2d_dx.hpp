#pragma once
#include "codelets/op.hpp"

namespace pleiad {

/// Gradient of conv2d for its images: dx from dy and w, by the attributes of the forward call and the extents of x. The
/// notation is an attribute, like "nPQk,kcRS->nHWc".
extern const Op conv2d_dx;

}  // namespace pleiad
