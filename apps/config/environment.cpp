#include "apps/config/environment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "codelets/base/error.hpp"

namespace pleiad {
namespace {

/// An empty variable counts as not set.
std::string variable(const char* name, std::string fallback) {
  const char* text = std::getenv(name);
  return text && *text ? text : std::move(fallback);
}

std::vector<std::filesystem::path> split_path(std::string_view list) {
  std::vector<std::filesystem::path> folders;
  while (!list.empty()) {
    const auto colon = std::min(list.find(':'), list.size());
    if (colon > 0) folders.emplace_back(list.substr(0, colon));
    list.remove_prefix(std::min(colon + 1, list.size()));
  }
  return folders;
}

}  // namespace

Environment read_environment() {
  Environment env;
  const auto cache = variable("XDG_CACHE_HOME", variable("HOME", ".") + "/.cache");
  env.home = variable("PLEIAD_HOME", cache + "/pleiad");
  env.runs = variable("PLEIAD_RUNS", "runs");
  env.data_path = split_path(variable("PLEIAD_DATA", ""));
  const std::filesystem::path unpacked = variable("PLEIAD_DEPS", cache + "/pleiad/deps") + "/data/sklearn";
  env.data_path.insert(env.data_path.end(), {"data", env.home / "data", "/usr/share/datasets", unpacked});
  env.log = variable("PLEIAD_LOG", "normal");
  if (env.log != "quiet" && env.log != "normal" && env.log != "verbose")
    throw Error(Exit::usage, fmt::format("PLEIAD_LOG must be quiet | normal | verbose, not \"{}\"", env.log));
  return env;
}

}  // namespace pleiad
