#include "apps/checkpoint/folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <string_view>
#include <system_error>

#include "apps/run/file.hpp"

namespace pleiad {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "step-";
constexpr std::string_view kUnfinished = ".tmp-";

std::optional<Index> step_of(std::string_view name) {
  if (!name.starts_with(kPrefix)) return {};
  name.remove_prefix(kPrefix.size());
  Index step = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), step);
  if (error != std::errc{} || end != name.data() + name.size() || step < 0) return {};
  return step;
}

/// Hidden under another name first, so that a crash in between leaves nothing that looks like a checkpoint.
void remove_checkpoint(const fs::path& folder, Index step) {
  const auto name = checkpoint_name(step);
  const auto hidden = folder / fmt::format("{}drop-{}", kUnfinished, name);
  rename_path(folder / name, hidden);
  std::error_code ignored;  // what is left goes the next time
  fs::remove_all(hidden, ignored);
}

}  // namespace

std::string checkpoint_name(Index step) { return fmt::format("{}{:06}", kPrefix, step); }

std::vector<Index> steps_in(const fs::path& folder) {
  std::vector<Index> steps;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(folder, missing))
    if (const auto step = step_of(entry.path().filename().string())) steps.push_back(*step);
  std::ranges::sort(steps, std::ranges::greater{});
  return steps;
}

std::optional<Index> latest_step(const fs::path& folder) {
  const auto pointer = folder / "LATEST";
  if (!fs::exists(pointer)) return {};
  auto name = read_file(pointer);
  name.resize(std::min(name.find('\n'), name.size()));
  return fs::is_directory(folder / name) ? step_of(name) : std::nullopt;
}

void set_latest(const fs::path& folder, Index step) {
  write_file_atomically(folder / "LATEST", checkpoint_name(step) + "\n");
  const auto temporary = folder / fmt::format("{}latest", kUnfinished);
  std::error_code error;
  fs::remove(temporary, error);
  fs::create_symlink(checkpoint_name(step), temporary, error);
  if (error) return;  // a file system without links: LATEST is what counts
  rename_path(temporary, folder / "latest");
}

void remove_unfinished(const fs::path& folder) {
  std::vector<fs::path> unfinished;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().filename().string().starts_with(kUnfinished)) unfinished.push_back(entry.path());
  std::error_code ignored;
  for (const auto& path : unfinished) fs::remove_all(path, ignored);
}

void publish(const fs::path& temporary, const fs::path& final) {
  sync_directory(temporary);
  if (!fs::exists(final))
    rename_path(temporary, final);
  else if (::renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, final.c_str(), RENAME_EXCHANGE) != 0) {
    if (errno != EINVAL && errno != ENOSYS) throw_io_error("write", final);
    rename_path(final, final.parent_path() / fmt::format("{}drop-{}", kUnfinished, final.filename().string()));
    rename_path(temporary, final);
  }
  sync_directory(final.parent_path());
}

void prune(const fs::path& folder, Index newest, Retention retention) {
  Index kept = 0;
  for (const Index step : steps_in(folder)) {
    if (step > newest) continue;
    const bool is_milestone = retention.keep_every > 0 && step % retention.keep_every == 0;
    if (kept++ >= retention.keep && !is_milestone) remove_checkpoint(folder, step);
  }
}

}  // namespace pleiad
