#pragma once
#include "codelets/op.hpp"

namespace pleiad {

/// y = x + bias, where bias has some of the axes of x; the notation is an attribute: "bo,o->bo".
extern const Op bias_add;

}  // namespace pleiad
