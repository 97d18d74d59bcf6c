#include "apps/config/toml_file.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <tuple>

#include "codelets/base/error.hpp"

namespace pleiad {
namespace {

Value list_of(const toml::array& array) {
  std::vector<Index> list;
  for (const toml::node& node : array) {
    if (!node.is_integer()) return Unusable{"a list that holds something else"};
    list.push_back(**node.as_integer());
  }
  return list;
}

Value value_of(const toml::node& node) {
  if (const auto* v = node.as_boolean()) return **v;
  if (const auto* v = node.as_integer()) return Index{**v};
  if (const auto* v = node.as_floating_point()) return **v;
  if (const auto* v = node.as_string()) return **v;
  if (const auto* v = node.as_array()) return list_of(*v);
  return Unusable{node.is_table() ? "a table" : "a date or time"};
}

void flatten(const toml::table& table, const std::string& prefix, std::vector<TomlEntry>& out) {
  for (const auto& [key, node] : table) {
    const auto name = prefix + std::string(key.str());
    const auto* inner = node.as_table();
    if (inner && !inner->empty()) {
      flatten(*inner, name + ".", out);
      continue;
    }
    const auto at = key.source().begin, value_at = node.source().begin;
    out.push_back({name, value_of(node), at.line, at.column, value_at.line, value_at.column});
  }
}

}  // namespace

std::vector<TomlEntry> parse_toml(std::string_view text, std::string_view file) {
  std::vector<TomlEntry> entries;
  try {
    flatten(toml::parse(text), "", entries);
  } catch (const toml::parse_error& e) {
    throw Error(Exit::usage, fmt::format("{}:{}:{}: {}\npleiad help config   shows how such a file looks", file,
                                         e.source().begin.line, e.source().begin.column, e.description()));
  }
  std::ranges::sort(entries, {}, [](const TomlEntry& e) { return std::tuple(e.line, e.column); });
  return entries;
}

}  // namespace pleiad
