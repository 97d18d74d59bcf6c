#pragma once
#include "codelets/op.hpp"

namespace pleiad {

/// Place in the last axis of the largest element, the first of equal ones; NaN is larger than any number. Not
/// differentiable.
extern const Op argmax;

}  // namespace pleiad
