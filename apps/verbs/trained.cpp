#include "apps/verbs/trained.hpp"

#include <fmt/format.h>

#include "apps/config/environment.hpp"
#include "codelets/base/error.hpp"

namespace pleiad {
namespace {

namespace fs = std::filesystem;

fs::path checkpoint_of(const std::string& given, const fs::path& runs) {
  for (const fs::path& folder : {fs::path(given), runs / given}) {
    if (fs::exists(folder / "ckpt")) {
      if (const auto latest = latest_checkpoint(folder / "ckpt")) return *latest;
      throw Error(Exit::data,
                  fmt::format("run {} has no checkpoint\nits training wrote none, or lost its disk", folder.string()));
    }
    if (fs::is_directory(folder)) return folder;
  }
  throw Error(Exit::data,
              fmt::format("no run or checkpoint {} (looked in . and {})\nls {}", given, runs.string(), runs.string()));
}

}  // namespace

LoadedCheckpoint load_trained(const std::string& given, const fs::path& runs) {
  return load_checkpoint(checkpoint_of(given, runs));
}

ResolvedConfig config_of(const LoadedCheckpoint& from, const std::vector<Setting>& settings) {
  const auto file = fs::weakly_canonical(from.path).parent_path().parent_path() / "config.toml";
  auto resolved = resolve(fs::exists(file) ? file.string() : "", settings);
  resolved.config.model = from.card.model;
  resolved.config.numerics.dtype = from.card.dtype;
  return resolved;
}

fs::path runs_folder(const Command& command) {
  return command.runs.empty() ? read_environment().runs : fs::path(command.runs);
}

}  // namespace pleiad
