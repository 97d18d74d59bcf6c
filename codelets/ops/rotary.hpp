#pragma once
#include "codelets/op.hpp"

namespace pleiad {

/// Channels i and i + D/2 of token t turn by the angle t base^(-2i/D); backwards if `inverse`.
struct RotaryAttrs {
  double base = 10000;
  bool inverse = false;
};

/// Rotary position embedding (Su et al. 2021) in the layout of Llama: halves, not neighbours, are pairs. x, y: [batch,
/// token, heads..., D], D even. The token's position is its place in the logical tensor. Its own gradient, inverted.
extern const Op rotary;

}  // namespace pleiad
