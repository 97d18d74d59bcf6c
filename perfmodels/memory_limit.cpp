#include "perfmodels/memory_limit.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>

namespace pleiad {
namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

/// The number in a file; kNone for "max", a missing file, or a value that means "no limit" (v1 writes about 2^63).
std::size_t limit_in(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::size_t bytes = kNone;
  if (!(in >> bytes) || bytes > (std::size_t{1} << 60)) return kNone;
  return bytes;
}

/// Smallest limit of a cgroup and those above it. Inside a container the path may not exist below the mount: then
/// only the mount itself counts.
std::size_t limit_up_from(const std::filesystem::path& mount, const std::string& group, const char* file) {
  std::size_t bytes = limit_in(mount / file);
  std::filesystem::path at = mount;
  for (const auto& part : std::filesystem::path(group).relative_path()) {
    at /= part;
    bytes = std::min(bytes, limit_in(at / file));
  }
  return bytes;
}

/// Whether "cpu,memory" names the memory controller.
bool has_memory(std::string_view controllers) {
  while (!controllers.empty()) {
    const std::string_view first = controllers.substr(0, controllers.find(','));
    if (first == "memory") return true;
    controllers.remove_prefix(std::min(controllers.size(), first.size() + 1));
  }
  return false;
}

/// Lines of /proc/self/cgroup are ID:CONTROLLERS:PATH; no controllers: version 2.
std::size_t cgroup_limit(const std::filesystem::path& root) {
  std::ifstream in(root / "proc/self/cgroup");
  std::size_t bytes = kNone;
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1), group = line.substr(second + 1);
    if (controllers.empty())
      bytes = std::min(bytes, limit_up_from(root / "sys/fs/cgroup", group, "memory.max"));
    else if (has_memory(controllers))
      bytes = std::min(bytes, limit_up_from(root / "sys/fs/cgroup/memory", group, "memory.limit_in_bytes"));
  }
  return bytes;
}

std::size_t rlimit_of(decltype(RLIMIT_AS) resource) {
  rlimit r{};
  if (getrlimit(resource, &r) != 0 || r.rlim_cur == RLIM_INFINITY) return kNone;
  return r.rlim_cur;
}

}  // namespace

std::size_t memory_limit_bytes(const std::filesystem::path& root) {
  const std::size_t bytes = std::min({cgroup_limit(root), rlimit_of(RLIMIT_AS), rlimit_of(RLIMIT_DATA)});
  return bytes == kNone ? 0 : bytes;
}

}  // namespace pleiad
