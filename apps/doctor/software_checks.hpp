#pragma once
#include "apps/doctor/checks.hpp"

namespace pleiad {

/// Op registry, libraries and their versions, environment variables, folders, data, models.
std::vector<Finding> examine_software();

}  // namespace pleiad
