#include "apps/config/render.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/config/model_keys.hpp"
#include "apps/config/presets.hpp"
#include "apps/config/schema.hpp"
#include "codelets/base/error.hpp"

namespace pleiad {
namespace {

std::string_view name_in_section(const Key& key) { return key.name.substr(key.section().size() + 1); }

/// Calls line(key, index) for every key, with a section's heading before its first.
template <class Line>
std::string by_section(Line line) {
  std::string text, section;
  for (std::size_t i = 0; i < schema().size(); ++i) {
    const Key& key = schema()[i];
    if (key.section() != section) text += fmt::format("{}[{}]\n", section.empty() ? "" : "\n", key.section());
    section = key.section();
    text += line(key, i);
  }
  return text;
}

std::string assignment(const Key& key, const Config& config) {
  return fmt::format("{} = {}", name_in_section(key), key.to_toml(config));
}

std::string explain_key(const Key& key) {
  return fmt::format("{}   {}\n  takes    {}{}\n  default  {}\n  flag     --{} V\n", key.name, key.help,
                     allowed_values(key), key.unit.empty() ? "" : fmt::format(", in {}", key.unit),
                     key.to_toml(Config{}), key.name);
}

std::string table_line(const Key& key, std::string_view prefix) {
  return fmt::format("  {:24} {:14} {}\n", fmt::format("{}{}", prefix, key.name), key.to_toml(Config{}), key.help);
}

/// Lines of the keys in the section, or of all.
std::string table(std::string_view section, std::string_view prefix) {
  std::string text, last;
  for (const Key& key : schema()) {
    if (!section.empty() && !key.name.starts_with(fmt::format("{}.", section))) continue;
    if (!last.empty() && key.section() != last) text += "\n";
    last = key.section();
    text += table_line(key, prefix);
  }
  return text;
}

}  // namespace

std::string resolved_toml(const ResolvedConfig& resolved) {
  return "# Every key of this run, and where its value came from. pleiad config explain KEY says what it does.\n\n" +
         by_section([&](const Key& key, std::size_t i) {
           if (!matters(resolved.config.model, key.name)) return std::string();
           return fmt::format("{:34} # {}\n", assignment(key, resolved.config), resolved.origins[i].text);
         });
}

std::string starting_toml(std::string_view preset) {
  const auto resolved = resolve(preset, {});
  return "# Lines that begin with # show the defaults. pleiad config explain KEY says more; check the file with\n"
         "# pleiad config check FILE\n\n" +
         by_section([&](const Key& key, std::size_t i) {
           if (!matters(resolved.config.model, key.name)) return std::string();
           const bool is_default = resolved.origins[i].layer == Origin::Layer::defaults;
           return fmt::format("{:36} # {}\n", (is_default ? "# " : "") + assignment(key, resolved.config), key.help);
         });
}

std::string explain(std::string_view name) {
  if (const Key* key = find_key(name)) return explain_key(*key);
  if (!name.empty() && !is_section(name)) throw_unknown_key(name, "config explain");
  return fmt::format("  {:24} {:14} {}\n{}", "KEY", "DEFAULT", "", table(name, ""));
}

std::string key_flags_help() { return table("", "--"); }

}  // namespace pleiad
