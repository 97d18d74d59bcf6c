#include "apps/cli/version.hpp"

namespace pleiad {

std::string_view version() { return PLEIAD_VERSION; }

}  // namespace pleiad
