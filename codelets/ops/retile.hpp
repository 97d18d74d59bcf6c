#pragma once
#include "codelets/op.hpp"

namespace pleiad {

/// y = x, though cut otherwise: the input and the output share no class. A call copies what its two tiles have in
/// common and leaves the rest of y alone. x, y: one shape, any dtype.
extern const Op retile;

}  // namespace pleiad
