#pragma once
#include "codelets/op.hpp"

namespace pleiad {

/// y = a + b; also what merges partial sums.
extern const Op add;

}  // namespace pleiad
