#include "apps/cli/flags.hpp"

#include <algorithm>
#include <array>

namespace pleiad {
namespace {

constexpr auto kVerbs = std::to_array<Verb>({
    {"train", "[PRESET|FILE]", "train a network here", 0, 1, true},
    {"eval", "RUN|CHECKPOINT", "loss and accuracy of a trained network", 1, 1, true},
    {"sample", "RUN|CHECKPOINT", "text from a trained language model", 1, 1},
    {"machine", "", "devices, memory, topology and limits of StarPU"},
    {"doctor", "", "checks of this installation, with a fix for each that fails"},
    {"ops", "[NAME]", "the ops that networks are made of, and their implementations", 0, 1},
    {"config", "init [PRESET] | check FILE | explain [KEY|SECTION]", "write, check and explain configs", 1, 2},
    {"version", "", "version of this program"},
    {"help", "[COMMAND|TOPIC]", "this text, or a page on a topic", 0, 1},
});

constexpr Flag switch_flag(std::string_view name, std::string_view verbs, std::string_view help,
                           bool Command::*target) {
  return {.name = name, .value = "", .verbs = verbs, .help = help, .to_switch = target};
}
constexpr Flag text_flag(std::string_view name, std::string_view value, std::string_view verbs, std::string_view help,
                         std::string Command::*target, std::string_view choices = "") {
  return {.name = name, .value = value, .verbs = verbs, .help = help, .choices = choices, .to_text = target};
}
constexpr Flag key_flag(std::string_view name, std::string_view value, std::string_view help, std::string_view key) {
  return {.name = name, .value = value, .verbs = "train", .help = help, .to_key = key};
}

constexpr auto kFlags = std::to_array<Flag>({
    key_flag("--name", "NAME", "short for --run.name", "run.name"),
    key_flag("--steps", "N", "short for --train.steps", "train.steps"),
    key_flag("--epochs", "N", "short for --train.epochs", "train.epochs"),
    text_flag("--resume", "MODE", "train", "auto: go on if there is a checkpoint; must: only then; never: a new run",
              &Command::resume, "auto|must|never"),
    text_flag("--plan", "FILE", "train", "use this plan.json instead of making one", &Command::plan),
    switch_flag("--dry-run", "train", "plan and predict, then stop before the first step", &Command::dry_run),
    text_flag("--split", "PART", "eval", "val or train", &Command::split, "val|train"),
    text_flag("--prompt", "TEXT", "sample", "how the text begins", &Command::prompt),
    text_flag("--tokens", "N", "sample", "length of what is added (default: 200)", &Command::tokens),
    text_flag("--temperature", "T", "sample", "0: always the likeliest token; 1: as learnt (default: 0.8)",
              &Command::temperature),
    text_flag("--top-k", "K", "sample", "choose among the K likeliest tokens; 0: all (default)", &Command::top_k),
    text_flag("--seed", "N", "sample", "start of the random numbers (default: 1)", &Command::seed),
    text_flag("-o", "FILE", "config", "write to this file instead of stdout", &Command::output),
    switch_flag("--help", "", "help for the command (also -h)", &Command::help),
    switch_flag("-q", "", "errors and the last line only", &Command::quiet),
    switch_flag("-v", "", "more detail", &Command::verbose),
    switch_flag("--json", "", "one JSON document on stdout, everything else on stderr", &Command::json),
    text_flag("--color", "WHEN", "", "auto, always or never", &Command::color, "auto|always|never"),
    text_flag("-C", "DIR", "", "change to this folder first", &Command::directory),
    text_flag("--runs", "DIR", "", "where run folders are (default: $PLEIAD_RUNS or runs)", &Command::runs),
});

}  // namespace

std::span<const Verb> verbs() { return kVerbs; }
std::span<const Flag> flags() { return kFlags; }

const Verb* find_verb(std::string_view name) {
  const auto found = std::ranges::find(kVerbs, name, &Verb::name);
  return found == kVerbs.end() ? nullptr : &*found;
}

const Flag* find_flag(std::string_view name) {
  const auto found = std::ranges::find(kFlags, name, &Flag::name);
  return found == kFlags.end() ? nullptr : &*found;
}

bool takes(const Verb& verb, const Flag& flag) { return flag.verbs.empty() || flag.verbs == verb.name; }

}  // namespace pleiad
