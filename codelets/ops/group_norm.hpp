#pragma once
#include "codelets/op.hpp"

namespace pleiad {

struct GroupNormAttrs {
  Index groups = 1;  // divides the number of channels
  double eps = 1e-5;
};
/// Group normalisation of images, channels last (Wu and He 2018): the mean and variance of a sample's group of
/// neighbouring channels; y = (x - mean) rstd weight + bias. mean, rstd: sample x group, kept for the gradient.
/// Parameters are of the wide dtype. Attributes: GroupNormAttrs.
extern const Op group_norm;
extern const Op group_norm_grad;

}  // namespace pleiad
