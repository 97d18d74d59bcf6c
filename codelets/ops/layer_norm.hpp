#pragma once
#include "codelets/norm/norm_attrs.hpp"
#include "codelets/op.hpp"

namespace pleiad {

/// y = (x - mean) rstd weight + bias over the last axis, rstd = 1 / sqrt(variance + eps) (Ba et al. 2016). mean and
/// rstd: one a row, kept for the gradient. Parameters are of the wide dtype. Attributes: NormAttrs.
extern const Op layer_norm;
extern const Op layer_norm_grad;
/// sum = x + residual and y = layer_norm(sum): one pass over both in front of a block of a transformer.
extern const Op add_layer_norm;
/// dx is the gradient of x as well as of the residual; dsum: what reaches `sum` past the norm.
extern const Op add_layer_norm_grad;

}  // namespace pleiad
