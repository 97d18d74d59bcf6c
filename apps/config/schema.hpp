#pragma once
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "apps/config/config.hpp"
#include "apps/config/value.hpp"

namespace pleiad {

/// Bounds of a number; an open bound is itself not allowed.
struct Interval {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_open = false, high_open = false;

  bool contains(double x) const { return (low_open ? x > low : x >= low) && (high_open ? x < high : x <= high); }
};

/// One key of the config: a row drives TOML, the flag, help, `config explain` and the resolved config.toml.
struct Key {
  std::string_view name;      // "train.batch"
  std::string_view help;      // one line
  std::string_view expected;  // what fits, in words
  std::string_view choices;   // "a|b|c"; empty: no list
  Interval range;
  std::string_view unit;
  bool is_text = false;    // a flag's value is taken as it stands
  bool is_switch = false;  // the flag alone means true
  bool (*read)(const Value&, Config&) = nullptr;
  std::string (*to_toml)(const Config&) = nullptr;

  std::string_view section() const { return name.substr(0, name.find('.')); }
};

/// All keys, those of a section together.
std::span<const Key> schema();

/// Null if there is no such key.
const Key* find_key(std::string_view name);
std::span<const std::string_view> key_names();
bool is_section(std::string_view name);

/// "a whole number >= 1", "relu | gelu | silu".
std::string allowed_values(const Key& key);

/// Stores the value. Error (usage) starting with `where` ("my.toml:3:9", "--train.batch") if it does not fit.
void assign(const Key& key, const Value& value, std::string_view where, Config& config);

/// Error (usage) for a name that is no key, with a suggestion.
[[noreturn]] void throw_unknown_key(std::string_view name, std::string_view where);

/// Splits "a|b|c".
std::vector<std::string_view> split_choices(std::string_view choices);

}  // namespace pleiad
