#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/config/config.hpp"

namespace pleiad {

/// Where a value came from; a higher layer wins.
struct Origin {
  enum class Layer { defaults, preset, extended, file, flag };
  Layer layer = Layer::defaults;
  std::string text = "default";  // "preset fmnist-mlp", "my.toml:14", "flag"
};

/// A key given on the command line, as text.
struct Setting {
  std::string key, text;
};

struct ResolvedConfig {
  Config config;
  std::vector<Origin> origins;  // one for each row of schema()
  std::string title;            // name of the preset or stem of the file; "" without either
};

/// defaults < what the file extends < preset or file < flags. `source` is a preset's name, a TOML file, or "". Error
/// (usage; exit 2) for what is unknown, of a wrong type or out of range.
ResolvedConfig resolve(std::string_view source, std::span<const Setting> settings);

/// Error (usage) for values that are good alone but not together, or for no data at all. Called by everything that
/// trains; `config check` calls it too.
void check_complete(const ResolvedConfig& resolved);

}  // namespace pleiad
