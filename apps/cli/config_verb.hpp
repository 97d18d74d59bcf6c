#pragma once
#include "apps/cli/command.hpp"

namespace pleiad {

/// `pleiad config init|check|explain`. Returns the exit code.
int run_config(const Command& command);

}  // namespace pleiad
