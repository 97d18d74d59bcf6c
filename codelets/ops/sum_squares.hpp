#pragma once
#include "codelets/op.hpp"

namespace pleiad {

/// y = sum of the squares of x, a scalar in the wide dtype; a tile is summed in double. x: any shape.
extern const Op sum_squares;

}  // namespace pleiad
