#pragma once
#include "codelets/op.hpp"

namespace pleiad {

struct DropoutAttrs {
  double p = 0;           // probability of zero, in [0, 1]
  std::uint32_t key = 0;  // tells the dropouts of a model apart
};
/// Inverted dropout (Srivastava et al. 2014): y = x / (1 - p), or 0 with probability p. An element's fate depends on
/// seed and number of the step, on the key, and on its place in the logical tensor alone. Attributes: DropoutAttrs.
extern const Op dropout;

}  // namespace pleiad
