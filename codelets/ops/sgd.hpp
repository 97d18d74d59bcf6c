#pragma once
#include "codelets/op.hpp"

namespace pleiad {

struct SgdAttrs {
  double weight_decay = 0;
};
/// PyTorch's SGD without momentum: p -= lr (g + weight_decay p). lr is the step's. Attributes: SgdAttrs.
extern const Op sgd;

}  // namespace pleiad
