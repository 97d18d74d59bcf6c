#pragma once
#include "codelets/ops/conv2d.hpp"

namespace pleiad {

/// A convolution of each channel with a window of its own. x: [batch, H, W, channels]; w: [channels, 1, R, S];
/// y: [batch, P, Q, channels]. Attributes: stride, padding and dilation of Conv2dAttrs.
extern const Op depthwise_conv2d;
/// dx from dy and w.
extern const Op depthwise_conv2d_dx;
/// dw from dy and x: a sum over the batch.
extern const Op depthwise_conv2d_dw;

}  // namespace pleiad
