#include "apps/checkpoint/checkpoint.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <system_error>

#include "apps/checkpoint/description.hpp"
#include "apps/checkpoint/folder.hpp"
#include "apps/run/file.hpp"
#include "codelets/base/error.hpp"

namespace pleiad {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCard = "config.json";
constexpr const char* kModel = "model.safetensors";
constexpr const char* kOptimizer = "optimizer.safetensors";
constexpr const char* kState = "state.json";
constexpr const char* kManifest = "MANIFEST.json";

FileRecord write_text(const fs::path& path, std::string_view text) {
  HashedFile file(path);
  file.write(text);
  return file.finish();
}

void check_file(const fs::path& path, const FileRecord& expected) {
  if (!fs::is_regular_file(path)) throw Error(Exit::data, fmt::format("{} is missing", path.string()));
  const auto size = fs::file_size(path);
  if (size != expected.size)
    throw Error(Exit::data,
                fmt::format("{} is damaged: {} bytes, the manifest says {}", path.string(), size, expected.size));
  const auto found = record_of(path);
  if (found != expected)
    throw Error(Exit::data, fmt::format("{} is damaged: checksum {:016x}, the manifest says {:016x}", path.string(),
                                        found.xxh3, expected.xxh3));
}

void check_files(const fs::path& path) {
  if (!fs::exists(path / kManifest))
    throw Error(Exit::data, fmt::format("{} is no complete checkpoint: it has no {}", path.string(), kManifest));
  const auto manifest = parse_manifest(read_file(path / kManifest), path / kManifest);
  for (const char* name : {kCard, kModel, kOptimizer, kState}) {
    const auto record = manifest.find(name);
    if (record == manifest.end())
      throw Error(Exit::data, fmt::format("{} is damaged: it does not list {}", (path / kManifest).string(), name));
    check_file(path / name, record->second);
  }
}

std::string first_line(const Error& error) {
  const std::string text = error.what();
  return text.substr(0, text.find('\n'));
}

}  // namespace

fs::path write_checkpoint(const fs::path& folder, const ModelCard& card, const TrainingState& state,
                          std::span<const NamedTensor> model, std::span<const NamedTensor> optimizer,
                          Retention retention) {
  make_directories(folder);
  remove_unfinished(folder);
  const auto name = checkpoint_name(state.step);
  const auto temporary = folder / fmt::format(".tmp-{}-{}", name, ::getpid());
  try {
    make_directories(temporary);
    Manifest manifest;
    manifest[kCard] = write_text(temporary / kCard, to_json(card));
    manifest[kModel] = write_safetensors(temporary / kModel, model, {{"format", "pt"}});
    manifest[kOptimizer] = write_safetensors(temporary / kOptimizer, optimizer, {{"format", "pt"}});
    manifest[kState] = write_text(temporary / kState, to_json(state));
    write_text(temporary / kManifest, to_json(manifest));
    publish(temporary, folder / name);
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(temporary, ignored);
    throw;
  }
  set_latest(folder, state.step);
  prune(folder, state.step, retention);
  remove_unfinished(folder);
  return folder / name;
}

std::optional<fs::path> latest_checkpoint(const fs::path& folder) {
  if (const auto step = latest_step(folder)) return folder / checkpoint_name(*step);
  const auto steps = steps_in(folder);
  if (steps.empty()) return {};
  return folder / checkpoint_name(steps[0]);
}

LoadedCheckpoint load_checkpoint(const fs::path& path) {
  check_files(path);
  return {path, parse_card(read_file(path / kCard), path / kCard), parse_state(read_file(path / kState), path / kState),
          read_safetensors(path / kModel), read_safetensors(path / kOptimizer)};
}

std::optional<LoadedCheckpoint> load_newest_valid(const fs::path& folder, std::vector<std::string>& skipped) {
  const auto latest = latest_step(folder);
  for (const Index step : steps_in(folder)) {
    if (latest && step > *latest) continue;
    try {
      return load_checkpoint(folder / checkpoint_name(step));
    } catch (const Error& e) {
      skipped.push_back(first_line(e));
    }
  }
  if (skipped.empty()) return {};
  throw Error(Exit::data, fmt::format("no checkpoint in {} is whole: {}\ntrain again under another name",
                                      folder.string(), skipped.front()));
}

}  // namespace pleiad
