#include <fmt/format.h>
#include <filesystem>
#include <span>

#include "apps/cli/message.hpp"
#include "apps/verbs/verbs.hpp"
#include "codelets/base/error.hpp"

// The verbs that need StarPU and the kernels. `pleiad` becomes this program for them, so that the others start without
// loading large libraries.

namespace pleiad {
namespace {

void change_directory(const std::string& folder) {
  std::error_code error;
  if (!folder.empty()) std::filesystem::current_path(folder, error);
  if (error) throw Error(Exit::usage, fmt::format("-C {}: {}", folder, error.message()));
}

int run(const Command& command) {
  change_directory(command.directory);
  if (command.verb == "train") return run_train(command);
  if (command.verb == "eval") return run_eval(command);
  if (command.verb == "sample") return run_sample(command);
  if (command.verb == "machine") return run_machine(command);
  if (command.verb == "doctor") return run_doctor(command);
  if (command.verb == "ops") return run_ops(command);
  throw Error(Exit::internal, fmt::format("command {} has no body", command.verb));
}

}  // namespace
}  // namespace pleiad

int main(int argc, char** argv) {
  const auto words = std::span<const char* const>(argv, static_cast<std::size_t>(argc)).subspan(argc > 0 ? 1 : 0);
  return pleiad::exit_code_of([&] { return pleiad::run(pleiad::parse_command(words)); });
}
