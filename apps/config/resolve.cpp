#include "apps/config/resolve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "apps/config/model_keys.hpp"
#include "apps/config/presets.hpp"
#include "apps/config/schema.hpp"
#include "apps/config/suggest.hpp"
#include "apps/config/toml_file.hpp"
#include "apps/run/file.hpp"
#include "codelets/base/error.hpp"

namespace pleiad {
namespace {

using Layer = Origin::Layer;

/// TOML text with what it is called in messages and in config.toml.
struct Source {
  std::string title, file, text;
  bool is_preset = false;
};

Source source_of_preset(const Preset& preset) {
  return {std::string(preset.name), fmt::format("preset {}", preset.name), std::string(preset.toml), true};
}

[[noreturn]] void throw_unknown_preset(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Preset& p : presets()) names.push_back(p.name);
  const auto meant = closest(name, names);
  throw Error(Exit::usage,
              fmt::format("{} is neither a preset nor a file\n{}presets: {}", name,
                          meant.empty() ? "" : fmt::format("did you mean {}?   ", meant), fmt::join(names, ", ")));
}

Source open_source(const std::string& name, const std::filesystem::path& folder) {
  if (const auto* preset = find_preset(name)) return source_of_preset(*preset);
  const auto path = folder / name;
  if (std::filesystem::is_directory(path))
    throw Error(Exit::usage, fmt::format("{0} is a folder\nif it is a run: {0}/config.toml", path.string()));
  if (!std::filesystem::exists(path)) throw_unknown_preset(name);
  return {path.stem().string(), path.string(), read_file(path)};
}

void put(ResolvedConfig& resolved, const Key& key, const Value& value, std::string_view where, Origin origin) {
  assign(key, value, where, resolved.config);
  resolved.origins[static_cast<std::size_t>(&key - schema().data())] = std::move(origin);
}

bool is_in_section(const Key& key, std::string_view section) {
  return key.name.starts_with(section) && key.name.substr(section.size()).starts_with('.');
}

/// `schedule.tiles = "auto"` means it for all keys below.
void put_section(ResolvedConfig& resolved, const TomlEntry& entry, std::string_view where, const Origin& origin) {
  if (std::holds_alternative<Unusable>(entry.value)) return;  // an empty table
  for (const Key& key : schema())
    if (is_in_section(key, entry.name)) put(resolved, key, entry.value, where, origin);
}

void put_entry(ResolvedConfig& resolved, const TomlEntry& entry, const Source& source, Layer layer) {
  const auto where = fmt::format("{}:{}:{}", source.file, entry.line, entry.column);
  const auto value_where = fmt::format("{}:{}:{}", source.file, entry.value_line, entry.value_column);
  const Origin origin{layer, source.is_preset ? source.file : fmt::format("{}:{}", source.file, entry.line)};
  if (const Key* key = find_key(entry.name))
    put(resolved, *key, entry.value, value_where, origin);
  else if (is_section(entry.name))
    put_section(resolved, entry, value_where, origin);
  else
    throw_unknown_key(entry.name, where);
}

const Origin& origin_of(const ResolvedConfig& resolved, std::string_view key) {
  return resolved.origins[static_cast<std::size_t>(find_key(key) - schema().data())];
}

/// Of train.steps and train.epochs the one set last decides: the other becomes 0.
void settle_length(ResolvedConfig& resolved, Layer layer) {
  auto& train = resolved.config.train;
  const auto& steps = origin_of(resolved, "train.steps");
  const auto& epochs = origin_of(resolved, "train.epochs");
  const bool has_steps = train.steps > 0 && steps.layer == layer,
             has_epochs = train.epochs > 0 && epochs.layer == layer;
  if (has_steps && has_epochs && layer != Layer::defaults)
    throw Error(Exit::usage, fmt::format("train.steps ({}) and train.epochs ({}) are both set\nkeep one of them",
                                         steps.text, epochs.text));
  if (has_steps) train.epochs = 0;
  if (has_epochs) train.steps = 0;
}

/// What the source extends, "" if nothing; that entry is taken out.
std::string take_extends(std::vector<TomlEntry>& entries, const Source& source) {
  const auto found = std::ranges::find(entries, "extends", &TomlEntry::name);
  if (found == entries.end()) return "";
  const auto* name = std::get_if<std::string>(&found->value);
  if (!name)
    throw Error(Exit::usage, fmt::format("{}:{}:{}: extends must be the name of a preset or of a file, not {}",
                                         source.file, found->value_line, found->value_column, describe(found->value)));
  auto result = *name;
  entries.erase(found);
  return result;
}

void apply(ResolvedConfig& resolved, const std::vector<TomlEntry>& entries, const Source& source, Layer layer) {
  for (const TomlEntry& entry : entries) put_entry(resolved, entry, source, layer);
  settle_length(resolved, layer);
}

void apply_extended(ResolvedConfig& resolved, const std::string& name, const Source& extending) {
  const auto source = open_source(name, std::filesystem::path(extending.file).parent_path());
  auto entries = parse_toml(source.text, source.file);
  if (!take_extends(entries, source).empty())
    throw Error(Exit::usage, fmt::format("{} extends {}, which extends another one itself\none level is allowed: copy "
                                         "its keys, or extend the preset directly",
                                         extending.file, source.file));
  apply(resolved, entries, source, source.is_preset ? Layer::preset : Layer::extended);
}

void apply_source(ResolvedConfig& resolved, const Source& source) {
  auto entries = parse_toml(source.text, source.file);
  const auto extended = take_extends(entries, source);
  if (!extended.empty()) apply_extended(resolved, extended, source);
  apply(resolved, entries, source, source.is_preset ? Layer::preset : Layer::file);
  resolved.title = source.title;
}

void apply_settings(ResolvedConfig& resolved, std::span<const Setting> settings) {
  for (const Setting& s : settings) {
    const Key* key = find_key(s.key);
    if (!key) throw_unknown_key(s.key, "--" + s.key);
    put(resolved, *key, key->is_text ? Value(s.text) : value_of_flag(s.text), "--" + s.key, {Layer::flag, "flag"});
  }
  settle_length(resolved, Layer::flag);
}

/// A key that changes nothing is a mistake. Those of what the config extends may belong to another kind of network.
void check_model_keys(const ResolvedConfig& resolved) {
  const ModelConfig& model = resolved.config.model;
  for (const ModelKey& key : model_keys()) {
    const Origin& origin = origin_of(resolved, key.name);
    const bool by_user = origin.layer == Layer::file || origin.layer == Layer::flag;
    if (!by_user || matters(model, key.name)) continue;
    throw Error(Exit::usage, fmt::format("{}: {} means nothing to model.kind = {}\nit is used by: {}", origin.text,
                                         key.name, model.kind, fmt::join(split_choices(key.kinds), ", ")));
  }
}

void check_tiles(const ResolvedConfig& resolved) {
  const auto& sizes = resolved.config.schedule.batch_tiles.sizes;
  const auto batch = resolved.config.train.batch;
  const auto sum = std::accumulate(sizes.begin(), sizes.end(), Index{0});
  if (sizes.empty() || sum == batch || (sizes.size() == 1 && sum <= batch)) return;
  throw Error(Exit::usage, fmt::format("schedule.tiles.batch ({}): the tiles hold {} samples, train.batch is {} ({})",
                                       origin_of(resolved, "schedule.tiles.batch").text, sum, batch,
                                       origin_of(resolved, "train.batch").text));
}

}  // namespace

ResolvedConfig resolve(std::string_view source, std::span<const Setting> settings) {
  ResolvedConfig resolved;
  resolved.origins.resize(schema().size());
  if (!source.empty()) apply_source(resolved, open_source(std::string(source), {}));
  apply_settings(resolved, settings);
  return resolved;
}

void check_complete(const ResolvedConfig& resolved) {
  const Config& config = resolved.config;
  if (config.data.train.empty())
    throw Error(Exit::usage,
                "no training data: data.train is not set\npleiad train fmnist-mlp, or --data.train NAME|FILE");
  if (config.train.steps == 0 && config.train.epochs == 0)
    throw Error(Exit::usage, "no length: train.steps and train.epochs are both 0");
  check_model_keys(resolved);
  check_tiles(resolved);
}

}  // namespace pleiad
