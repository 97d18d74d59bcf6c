#pragma once
#include <string>
#include <string_view>

namespace pleiad {

/// What kernels were compiled for: "native (avx512)".
std::string built_for();
/// Instruction sets that this binary uses and this CPU lacks, joined by spaces; empty: none.
std::string missing_instructions();
/// Error (Exit::hardware) instead of an illegal instruction later. Called before the first kernel.
void check_instructions();

}  // namespace pleiad
