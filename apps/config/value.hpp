#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "apps/config/config.hpp"

namespace pleiad {

/// A value as written by the user, in a TOML file or after a flag, before it is known which type the key has.
/// The last alternative is what no key takes; its text says what it is ("a table").
struct Unusable {
  std::string description;
};
using Value = std::variant<bool, Index, double, std::string, std::vector<Index>, Unusable>;

/// "3", "1e-3", "true", "[512,256]" become what they are in TOML; anything else is text (quotes around it are dropped).
Value value_of_flag(std::string_view text);

/// For messages: `"abc"`, `12`, `true`.
std::string describe(const Value& value);

/// "60s", "1.5h", "250us"; a bare number is not a duration.
std::optional<Duration> parse_duration(std::string_view text);
/// Reads back equal.
std::string to_text(Duration duration);

/// "8G", "512M", "1.5T" (powers of 1024; "GB" and "GiB" mean the same); "80%" is a share.
std::optional<MemoryLimit> parse_memory(std::string_view text);

/// "0-3,8" -> 0 1 2 3 8. Nothing if it is not such a list, has a core twice or one beyond 65535.
std::optional<std::vector<Index>> parse_core_list(std::string_view text);

}  // namespace pleiad
