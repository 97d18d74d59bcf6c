#pragma once
#include <vector>

#include "codelets/base/shape.hpp"

namespace pleiad {

/// A random order of 0 .. count-1 that depends on nothing but the arguments (Philox, Fisher-Yates).
std::vector<Index> permutation(Index count, Index seed, Index stream);

}  // namespace pleiad
