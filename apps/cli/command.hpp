#pragma once
#include <span>
#include <string>
#include <vector>

#include "apps/config/resolve.hpp"

namespace pleiad {

/// A parsed command line. Each verb sees only the flags that it takes; the others keep their defaults.
struct Command {
  std::string verb;                // "help" without any
  std::vector<std::string> args;   // what follows it that is no flag
  std::vector<std::string> words;  // the whole command line

  bool help = false;  // --help: show it for the verb instead
  bool quiet = false, verbose = false, json = false;
  std::string color = "auto";  // auto | always | never
  std::string directory;       // -C: change there first; "": stay
  std::string runs;            // "": as the environment says
  std::string output;          // -o

  std::string resume = "never";  // auto | must | never
  std::string plan;              // file; "": plan here
  bool dry_run = false;
  std::string split = "val";  // of eval
  // Of sample.
  std::string prompt, tokens = "200", temperature = "0.8", top_k = "0", seed = "1";

  std::vector<Setting> settings;  // keys of the config, in the order given
};

/// Error (usage) for unknown verbs and flags, missing or repeated values, and a wrong number of arguments. Keys are
/// known to exist afterwards; their values are checked by resolve().
Command parse_command(std::span<const char* const> words);

}  // namespace pleiad
