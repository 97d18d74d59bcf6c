#pragma once
#include "codelets/op.hpp"

namespace pleiad {

struct MomentumAttrs {
  double momentum = 0.9, weight_decay = 0;
  bool nesterov = false;
};
/// PyTorch's SGD with momentum (dampening 0): g += weight_decay p; buffer = momentum buffer + g; p -= lr buffer, with
/// Nesterov lr (g + momentum buffer). buffer: of the wide dtype, starts at 0. Attributes: MomentumAttrs.
extern const Op momentum;

}  // namespace pleiad
