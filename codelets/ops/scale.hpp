#pragma once
#include "codelets/op.hpp"

namespace pleiad {

struct ScaleAttrs {
  double factor = 1;
};
/// y = factor * x. x, y: any shape. Attributes: ScaleAttrs.
extern const Op scale;

}  // namespace pleiad
