#pragma once
#include "codelets/op.hpp"

namespace pleiad {

/// Rows and columns added on each side; negative ones are taken away.
struct PadAttrs {
  std::int32_t top = 0, bottom = 0, left = 0, right = 0;
  double value = 0;
};

/// y = x with a border of one value. x: [batch, H, W, channels]; y: [batch, P, Q, channels]. Attributes: PadAttrs.
extern const Op pad2d;

}  // namespace pleiad
