#pragma once
#include <span>
#include <string_view>

#include "codelets/op.hpp"

namespace pleiad {

/// Every op declared in codelets/ops/*.hpp, derived by CMake; sorted by name.
std::span<const Op* const> all_ops();
/// The op of that name, or null.
const Op* find_op(std::string_view name);
/// Parses the notation of every sample and checks the declaration. Throws Error naming the op.
void check_op(const Op&);
/// Checks every op; called at start.
void check_registry();

}  // namespace pleiad
