#pragma once
#include "codelets/op.hpp"

namespace pleiad {

struct ReshapeAttrs {
  std::size_t first = 0;  // of the dimensions that are replaced
  Shape to;               // extents of the new ones
};
/// The same elements in order, with some neighbouring dimensions replaced by others: PyTorch's flatten and unflatten.
/// The replaced and the new dimensions are whole in one tile. Attributes: reshape_attrs. x: any dtype.
extern const Op reshape;

/// Replaces `count` dimensions of a tensor of shape x from the first-th on by `to`. Throws ShapeError if the numbers of
/// elements differ.
Attrs reshape_attrs(const Shape& x, std::size_t first, std::size_t count, const Shape& to);

}  // namespace pleiad
