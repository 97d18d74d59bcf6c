#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace pleiad {

/// Environment variables set for as long as this object lives. What the user has set already stands. Not
/// thread-safe, as setenv is not.
class ScopedEnvironment {
 public:
  ScopedEnvironment() = default;
  ~ScopedEnvironment();
  ScopedEnvironment(const ScopedEnvironment&) = delete;
  ScopedEnvironment& operator=(const ScopedEnvironment&) = delete;

  void set(const std::string& name, const std::string& value);
  /// "NAME=value" of every variable whose name starts so, sorted.
  static std::vector<std::string> starting_with(std::string_view prefix);

 private:
  std::vector<std::string> names_;
};

}  // namespace pleiad
