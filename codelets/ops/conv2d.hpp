#pragma once
#include "codelets/op.hpp"

namespace pleiad {

/// Rows, then columns, as in PyTorch.
struct Conv2dAttrs {
  std::array<std::int32_t, 2> stride{1, 1}, padding{0, 0}, dilation{1, 1};
  std::int32_t groups = 1;
  bool relu = false;
  std::array<std::int32_t, 2> extents{};  // of the images, in conv2d_dx; of the window, in conv2d_dw
};

/// y = relu?(conv(x, w) + b?). x: [batch, H, W, in]; w: [out, in / groups, R, S]; b: [out]; y: [batch, P, Q, out]. The
/// notation is an attribute, made by conv2d_attrs. Input channels may be cut where sums may come in parts: without relu
/// and groups.
extern const Op conv2d;

Attrs conv2d_attrs(const Conv2dAttrs&, bool bias);

}  // namespace pleiad
