#pragma once
#include <span>

#include "codelets/op.hpp"

namespace pleiad {

/// The inputs one after another along a dimension that is whole in one tile. Two to eight inputs of any dtype, alike in
/// the other dimensions. Attributes: concat_attrs.
extern const Op concat;

/// For inputs of that rank, as many as given. Throws ShapeError if there are too many.
Attrs concat_attrs(std::size_t inputs, std::size_t rank, std::size_t dim);

}  // namespace pleiad
