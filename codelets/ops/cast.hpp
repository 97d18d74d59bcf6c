#pragma once
#include "codelets/op.hpp"

namespace pleiad {

/// y = x in another element type, that of the attributes: f32, f64 or bf16, rounded to nearest even. x, y: one shape.
extern const Op cast;

Attrs cast_attrs(DType to);

}  // namespace pleiad
