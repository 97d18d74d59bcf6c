#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "apps/config/value.hpp"

namespace pleiad {

/// One assignment in a TOML file, its tables flattened into a dotted name. An empty table is an entry of its own.
struct TomlEntry {
  std::string name;
  Value value;
  std::size_t line = 0, column = 0;              // of the key
  std::size_t value_line = 0, value_column = 0;  // of the value
};

/// The assignments in the order of the text. `file` is for messages only. Error (usage) with line and column if the
/// text is not TOML.
std::vector<TomlEntry> parse_toml(std::string_view text, std::string_view file);

}  // namespace pleiad
