#pragma once
#include "codelets/op.hpp"

namespace pleiad {

/// Number of rows whose largest logit, the first of equal ones, is that of the row's id; a negative id never counts.
extern const Op count_correct;

}  // namespace pleiad
