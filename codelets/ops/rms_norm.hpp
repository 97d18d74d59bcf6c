#pragma once
#include "codelets/norm/norm_attrs.hpp"
#include "codelets/op.hpp"

namespace pleiad {

/// y = x rstd weight over the last axis, rstd = 1 / sqrt(mean of x^2 + eps) (Zhang and Sennrich 2019). rstd: one a row,
/// kept for the gradient. The weight is of the wide dtype. Attributes: NormAttrs.
extern const Op rms_norm;
extern const Op rms_norm_grad;
/// sum = x + residual and y = rms_norm(sum): one pass over both in front of a block of a transformer.
extern const Op add_rms_norm;
/// dx is the gradient of x as well as of the residual; dsum: what reaches `sum` past the norm.
extern const Op add_rms_norm_grad;

}  // namespace pleiad
