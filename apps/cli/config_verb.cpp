#include "apps/cli/config_verb.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "apps/cli/message.hpp"
#include "apps/config/render.hpp"
#include "apps/config/schema.hpp"
#include "apps/config/suggest.hpp"
#include "apps/run/file.hpp"
#include "codelets/base/error.hpp"

namespace pleiad {
namespace {

/// To stdout, or to the file of -o, which must not exist yet.
void deliver(const Command& command, const std::string& text) {
  if (command.output.empty()) {
    fmt::print("{}", text);
    return;
  }
  if (std::filesystem::exists(command.output))
    throw Error(Exit::usage, fmt::format("{} exists already\nchoose another name, or remove it", command.output));
  write_file_atomically(command.output, text);
  fmt::print(stderr, "{}", labelled("wrote", command.output));
}

std::string argument(const Command& command) { return command.args.size() > 1 ? command.args[1] : ""; }

int init(const Command& command) {
  deliver(command, starting_toml(argument(command)));
  return 0;
}

int check(const Command& command) {
  const auto file = argument(command);
  if (file.empty()) throw Error(Exit::usage, "config check needs a file\nusage: pleiad config check FILE");
  const auto resolved = resolve(file, {});
  check_complete(resolved);
  const auto set =
      std::ranges::count_if(resolved.origins, [](const Origin& o) { return o.layer != Origin::Layer::defaults; });
  fmt::print("{}", labelled("config", fmt::format("{} is good: {} keys set, {} left as they are", file, set,
                                                  static_cast<std::ptrdiff_t>(schema().size()) - set)));
  return 0;
}

std::string explain_json(std::string_view name) {
  auto keys = nlohmann::ordered_json::array();
  for (const Key& key : schema())
    if (name.empty() || key.name == name || key.name.starts_with(fmt::format("{}.", name)))
      keys.push_back({{"key", key.name},
                      {"takes", allowed_values(key)},
                      {"default", key.to_toml(Config{})},
                      {"unit", key.unit},
                      {"help", key.help}});
  return keys.dump(2) + "\n";
}

int explain_keys(const Command& command) {
  const auto name = argument(command);
  const auto text = explain(name);
  deliver(command, command.json ? explain_json(name) : text);
  return 0;
}

}  // namespace

int run_config(const Command& command) {
  const auto& action = command.args[0];
  if (action == "init") return init(command);
  if (action == "check") return check(command);
  if (action == "explain") return explain_keys(command);
  static constexpr auto kActions = std::to_array<std::string_view>({"init", "check", "explain"});
  const auto meant = closest(action, kActions);
  throw Error(Exit::usage, fmt::format("unknown command config {}\n{}(pleiad config --help)", action,
                                       meant.empty() ? "" : fmt::format("did you mean config {}?   ", meant)));
}

}  // namespace pleiad
