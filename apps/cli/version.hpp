#pragma once
#include <string_view>

namespace pleiad {

/// Of this program: "0.1.0".
std::string_view version();

}  // namespace pleiad
