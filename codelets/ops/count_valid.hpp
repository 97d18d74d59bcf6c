#pragma once
#include "codelets/op.hpp"

namespace pleiad {

/// count = number of ids that are not negative. ids: any shape, i32; count: an i32 scalar.
extern const Op count_valid;

}  // namespace pleiad
