#pragma once
#include <span>
#include <string_view>

namespace pleiad {

/// A config that comes with the program: TOML text that is read like a file.
struct Preset {
  std::string_view name, help, toml;
};

std::span<const Preset> presets();

/// Null if there is no such preset.
const Preset* find_preset(std::string_view name);

}  // namespace pleiad
