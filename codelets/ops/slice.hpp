#pragma once
#include "codelets/op.hpp"

namespace pleiad {

struct SliceAttrs {
  Index begin = 0, end = 0, whole = 0;  // `whole`: extent of the dimension that is cut
};
/// y = x[begin:end] along dimension `dim`, which is whole in one tile. A split is several slices: their gradients go
/// into one tensor. Attributes: slice_attrs. x: any dtype.
extern const Op slice;
/// dx = dy from `begin` on, and 0 elsewhere.
extern const Op slice_grad;

/// For a slice of a tensor of that shape. Throws ShapeError if there is no such part.
Attrs slice_attrs(const Shape&, std::size_t dim, Index begin, Index end);

}  // namespace pleiad
