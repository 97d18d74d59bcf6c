#pragma once
#include <span>
#include <string_view>

#include "apps/cli/command.hpp"

namespace pleiad {

struct Verb {
  std::string_view name, usage, help;
  std::size_t min_args = 0, max_args = 0;
  bool takes_keys = false;  // every key of the config is a flag
};

/// A flag that is not a key of the config. One of the targets is set.
struct Flag {
  std::string_view name, value, verbs, help;  // value "": a switch; verbs "": all
  std::string_view choices = "";
  bool Command::*to_switch = nullptr;
  std::string Command::*to_text = nullptr;
  std::string_view to_key = "";  // short for this key
};

std::span<const Verb> verbs();
std::span<const Flag> flags();

/// Null if there is none.
const Verb* find_verb(std::string_view name);
const Flag* find_flag(std::string_view name);

bool takes(const Verb& verb, const Flag& flag);

}  // namespace pleiad
