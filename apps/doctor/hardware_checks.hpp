#pragma once
#include "apps/doctor/checks.hpp"

namespace pleiad {

/// Cores, instruction set, memory, huge pages, load, limits, devices.
std::vector<Finding> examine_hardware();

}  // namespace pleiad
