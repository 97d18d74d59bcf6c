#include "apps/doctor/checks.hpp"

#include "apps/doctor/hardware_checks.hpp"
#include "apps/doctor/software_checks.hpp"

namespace pleiad {

std::vector<Finding> examine() {
  std::vector<Finding> all = examine_hardware();
  for (Finding& f : examine_software()) all.push_back(std::move(f));
  return all;
}

}  // namespace pleiad
