#pragma once
#include <string>
#include <string_view>

namespace pleiad {

/// Widest vector instructions of this CPU: "avx512", "avx2", "sse2", "neon", "generic".
std::string_view instruction_set();

/// "epyc-7543-32c-avx2-5f3a09": short model, cores, instruction set, and a hash over these and `detail` (whatever else
/// decides speed).
std::string hardware_key(std::string_view cpu_model, int cores, std::string_view isa, std::string_view detail);

}  // namespace pleiad
