#pragma once
#include <string>
#include <string_view>

#include "apps/config/resolve.hpp"

namespace pleiad {

/// config.toml of a run: every key, each with a comment saying where its value came from. Reads back as the same
/// config.
std::string resolved_toml(const ResolvedConfig& resolved);

/// A file to start from: what the preset sets, and all other keys as comments with their defaults. `preset` may be "".
/// Error (usage) for an unknown preset.
std::string starting_toml(std::string_view preset);

/// Text for a key, a section, or with "" for everything. Error (usage) for an unknown name.
std::string explain(std::string_view name);

/// One line a key, as flags: the part of `pleiad train --help` that comes from the schema.
std::string key_flags_help();

}  // namespace pleiad
