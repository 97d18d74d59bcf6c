#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <span>

#include "apps/cli/command.hpp"
#include "apps/cli/config_verb.hpp"
#include "apps/cli/help.hpp"
#include "apps/cli/message.hpp"
#include "apps/cli/version.hpp"
#include "codelets/base/error.hpp"

namespace pleiad {
namespace {

int show_version(const Command& command) {
  if (command.json)
    fmt::print("{{\"version\": \"{}\"}}\n", version());
  else
    fmt::print("{}", labelled("pleiad", version()));
  return 0;
}

int show_help(std::string_view name) {
  fmt::print("{}", help_text(name));
  return 0;
}

/// Goes on as the program with StarPU and the kernels, which lies beside this one. Libraries read their number of
/// threads when they are loaded: a worker is one thread.
[[noreturn]] void become_core(char** argv) {
  std::error_code error;
  const auto core = std::filesystem::read_symlink("/proc/self/exe", error).parent_path() / "pleiad-core";
  for (const char* variable : {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"}) setenv(variable, "1", 1);
  execv(core.c_str(), argv);
  throw Error(Exit::hardware, fmt::format("cannot start {}: {}\nit belongs beside pleiad; build or install both",
                                          core.string(), std::strerror(errno)));
}

int run(const Command& command, char** argv) {
  if (command.help) return show_help(command.verb == "help" ? "" : command.verb);
  if (command.verb == "help") return show_help(command.args.empty() ? "" : command.args[0]);
  if (command.verb == "version") return show_version(command);
  if (command.verb != "config") become_core(argv);
  std::error_code error;
  if (!command.directory.empty()) std::filesystem::current_path(command.directory, error);
  if (error) throw Error(Exit::usage, fmt::format("-C {}: {}", command.directory, error.message()));
  return run_config(command);
}

}  // namespace
}  // namespace pleiad

int main(int argc, char** argv) {
  const auto words = std::span<const char* const>(argv, static_cast<std::size_t>(argc)).subspan(argc > 0 ? 1 : 0);
  return pleiad::exit_code_of([&] { return pleiad::run(pleiad::parse_command(words), argv); });
}
