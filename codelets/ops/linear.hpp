#pragma once
#include "codelets/op.hpp"

namespace pleiad {

enum class Activation : std::uint8_t { none, relu, gelu, silu };
struct LinearAttrs {
  Activation activation = Activation::none;
};

/// y = activation(x w^T + b). The notation is an attribute: "bI,oI,o->bo", or "btI,oI,o->bto" with more batch axes;
/// with gelu and silu a second output z of the shape of y keeps x w^T + b for the gradient: "bI,oI,o->bo,bo".
extern const Op linear;

}  // namespace pleiad
