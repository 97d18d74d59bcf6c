#pragma once
#include "codelets/op.hpp"

namespace pleiad {

struct EmaAttrs {
  double decay = 0.999;
};
/// Exponential moving average of a parameter: average = decay average + (1 - decay) p. average: of the wide dtype; it
/// starts as p. Attributes: EmaAttrs. Not differentiable.
extern const Op ema;

}  // namespace pleiad
