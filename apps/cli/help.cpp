#include "apps/cli/help.hpp"

#include <fmt/format.h>

#include <vector>

#include "apps/cli/flags.hpp"
#include "apps/cli/topics.hpp"
#include "apps/config/presets.hpp"
#include "apps/config/render.hpp"
#include "apps/config/suggest.hpp"
#include "codelets/base/error.hpp"

namespace pleiad {
namespace {

std::string line(std::string_view left, std::string_view right) { return fmt::format("  {:24} {}\n", left, right); }

/// Lines of the flags that the verb alone takes, or with "" of those that all take.
std::string flag_lines(std::string_view verb) {
  std::string text;
  for (const Flag& f : flags())
    if (f.verbs == verb) text += line(fmt::format("{} {}", f.name, f.value), f.help);
  return text;
}

std::string verb_page(const Verb& verb) {
  auto text = fmt::format("usage: pleiad {} {}\n\n{}\n\n", verb.name, verb.usage, verb.help);
  const auto own = flag_lines(verb.name);
  if (!own.empty()) text += "flags\n" + own + "\n";
  text += "flags of every command\n" + flag_lines("");
  if (verb.takes_keys)
    text += "\nkeys of the config as flags (--key V or --key=V), and their defaults\n" + key_flags_help();
  return text;
}

std::string main_page() {
  std::string text =
      "pleiad trains neural networks on every processor of a machine.\n\n"
      "  pleiad train fmnist-mlp      a first network, on Fashion-MNIST\n"
      "  pleiad config init -o my.toml && pleiad train my.toml\n\ncommands\n";
  for (const Verb& v : verbs())
    text += line(fmt::format("{} {}", v.name, v.name == "config" ? "..." : v.usage), v.help);
  text += "\npresets\n";
  for (const Preset& p : presets()) text += line(p.name, p.help);
  text += "\nflags of every command\n" + flag_lines("") + "\ntopics (pleiad help TOPIC)\n";
  for (const Topic& t : topics()) text += line(t.name, t.help);
  return text;
}

[[noreturn]] void throw_unknown(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Verb& v : verbs()) names.push_back(v.name);
  for (const Topic& t : topics()) names.push_back(t.name);
  const auto meant = closest(name, names);
  throw Error(Exit::usage,
              fmt::format("no help on {}\n{}pages: {}", name,
                          meant.empty() ? "" : fmt::format("did you mean {}?   ", meant), fmt::join(names, ", ")));
}

}  // namespace

std::string help_text(std::string_view name) {
  if (name.empty()) return main_page();
  if (const Verb* verb = find_verb(name)) return verb_page(*verb);
  for (const Topic& t : topics())
    if (t.name == name) return std::string(t.text);
  throw_unknown(name);
}

}  // namespace pleiad
