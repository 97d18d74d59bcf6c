#include "runtime/environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace pleiad {

ScopedEnvironment::~ScopedEnvironment() {
  for (const auto& name : names_) unsetenv(name.c_str());
}

void ScopedEnvironment::set(const std::string& name, const std::string& value) {
  if (std::getenv(name.c_str()) != nullptr) return;
  setenv(name.c_str(), value.c_str(), 1);
  names_.push_back(name);
}

std::vector<std::string> ScopedEnvironment::starting_with(std::string_view prefix) {
  std::vector<std::string> found;
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (std::string_view(*entry).starts_with(prefix)) found.emplace_back(*entry);
  std::ranges::sort(found);
  return found;
}

}  // namespace pleiad
