#pragma once
#include "codelets/op.hpp"

namespace pleiad {

struct FillAttrs {
  double value = 0;
  Shape extents;  // of the axes of y, in order
};
/// What fill is called with for a tensor of that shape.
Attrs fill_attrs(double value, const Shape&);
/// Every element of y is `value`. Attributes: FillAttrs; the notation is that of fill_attrs ("->ab"). y: any dtype.
extern const Op fill;

}  // namespace pleiad
