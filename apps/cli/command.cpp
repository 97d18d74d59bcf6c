#include "apps/cli/command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "apps/cli/flags.hpp"
#include "apps/config/schema.hpp"
#include "apps/config/suggest.hpp"
#include "codelets/base/error.hpp"

namespace pleiad {
namespace {

[[noreturn]] void throw_usage(const std::string& message) { throw Error(Exit::usage, message); }

/// A line "did you mean X?   " or nothing.
std::string suggestion(std::string_view word, std::span<const std::string_view> candidates) {
  const auto meant = closest(word, candidates);
  return meant.empty() ? "" : fmt::format("did you mean {}?   ", meant);
}

/// Reads words one after the other into a Command.
class Parser {
 public:
  explicit Parser(std::span<const char* const> words) : words_(words) {
    command_.words.assign(words.begin(), words.end());
  }

  Command run() {
    while (!words_.empty()) read_word(next());
    if (command_.verb.empty()) command_.verb = "help";
    if (!command_.help) check_args();
    return std::move(command_);
  }

 private:
  std::string next() {
    std::string word = words_.front();
    words_ = words_.subspan(1);
    return word;
  }

  void read_word(const std::string& word) {
    if (word == "-h")
      read_flag("--help");
    else if (word == "--version" && !verb_)
      set_verb("version");
    else if (word.size() > 1 && word.starts_with('-'))
      read_flag(word);
    else if (!verb_)
      set_verb(word);
    else
      command_.args.push_back(word);
  }

  void set_verb(const std::string& name) {
    verb_ = find_verb(name);
    if (!verb_) throw_unknown_verb(name);
    command_.verb = name;
  }

  [[noreturn]] static void throw_unknown_verb(const std::string& name) {
    std::vector<std::string_view> names;
    for (const Verb& v : verbs()) names.push_back(v.name);
    throw_usage(fmt::format("unknown command {}\n{}(pleiad --help)", name, suggestion(name, names)));
  }

  void read_flag(const std::string& word) {
    const auto equals = word.starts_with("--") ? std::min(word.find('='), word.size()) : word.size();
    const auto name = word.substr(0, equals);
    std::optional<std::string> value;
    if (equals < word.size()) value = word.substr(equals + 1);
    if (const Flag* flag = find_flag(name); flag && allows(*flag))
      set_flag(*flag, value);
    else if (const Key* key = name.size() > 2 ? find_key(name.substr(2)) : nullptr; key && verb_ && verb_->takes_keys)
      set_key(*key, name, value);
    else
      throw_unknown_flag(name);
  }

  bool allows(const Flag& flag) const { return verb_ ? takes(*verb_, flag) : flag.verbs.empty(); }

  void set_flag(const Flag& flag, std::optional<std::string> value) {
    if (!flag.to_key.empty()) return set_key(*find_key(flag.to_key), std::string(flag.name), std::move(value));
    note_use(flag.name);
    if (flag.to_switch) {
      if (value) throw_usage(fmt::format("{} takes no value", flag.name));
      command_.*flag.to_switch = true;
      return;
    }
    const auto text = value ? *value : next_value(flag.name);
    check_choice(flag, text);
    command_.*flag.to_text = text;
  }

  static void check_choice(const Flag& flag, const std::string& text) {
    const auto choices = split_choices(flag.choices);
    if (choices.empty() || std::ranges::count(choices, text) > 0) return;
    throw_usage(fmt::format("{} must be {}, not \"{}\"\n{}(pleiad help {})", flag.name, fmt::join(choices, " | "), text,
                            suggestion(text, choices), flag.verbs.empty() ? "" : flag.verbs));
  }

  void set_key(const Key& key, const std::string& flag, std::optional<std::string> value) {
    note_use(key.name);
    const bool alone = key.is_switch && !value && (words_.empty() || !is_truth(words_.front()));
    if (alone) value = "true";
    command_.settings.push_back({std::string(key.name), value ? *value : next_value(flag)});
  }

  static bool is_truth(std::string_view word) { return word == "true" || word == "false"; }

  std::string next_value(std::string_view flag) {
    if (words_.empty()) throw_usage(fmt::format("{} needs a value", flag));
    return next();
  }

  void note_use(std::string_view name) {
    if (std::ranges::count(used_, name) > 0) throw_usage(fmt::format("{} is given twice\nkeep one of them", name));
    used_.push_back(name);
  }

  [[noreturn]] void throw_unknown_flag(const std::string& name) const {
    std::vector<std::string> names;
    for (const Flag& f : flags())
      if (allows(f)) names.emplace_back(f.name);
    if (verb_ && verb_->takes_keys)
      for (const auto key : key_names()) names.push_back(fmt::format("--{}", key));
    const std::vector<std::string_view> views(names.begin(), names.end());
    throw_usage(fmt::format("unknown flag {}{}\n{}(pleiad {}--help)", name,
                            verb_ ? fmt::format(" for pleiad {}", verb_->name) : "", suggestion(name, views),
                            verb_ ? fmt::format("{} ", verb_->name) : ""));
  }

  void check_args() const {
    if (!verb_) return;
    const auto count = command_.args.size();
    if (count >= verb_->min_args && count <= verb_->max_args) return;
    throw_usage(fmt::format(
        "pleiad {} {}\nusage: pleiad {} {}", verb_->name,
        count > verb_->max_args ? fmt::format("does not take \"{}\"", command_.args.back()) : std::string("needs more"),
        verb_->name, verb_->usage));
  }

  std::span<const char* const> words_;
  Command command_;
  const Verb* verb_ = nullptr;
  std::vector<std::string_view> used_;
};

}  // namespace

Command parse_command(std::span<const char* const> words) { return Parser(words).run(); }

}  // namespace pleiad
