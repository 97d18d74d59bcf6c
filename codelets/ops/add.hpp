#pragma once
#include "codelets/op.hpp"

namespace pleiad {

/// y = a + b; also what merges partial sums and counts. a, b, y: one shape, any dtype.
extern const Op add;

}  // namespace pleiad
