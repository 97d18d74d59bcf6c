#pragma once
#include "codelets/op.hpp"

namespace pleiad {

struct TopkAttrs {
  Index k = 1;  // at most the extent of the last axis
};
/// The k largest elements of the last axis, largest first, and their places; of equal ones those that come first; NaN
/// is larger than any number. Not differentiable. Attributes: TopkAttrs.
extern const Op topk;

}  // namespace pleiad
