#pragma once
#include "apps/cli/command.hpp"

namespace pleiad {

// Bodies of the verbs; each returns the exit code. Errors are thrown.

int run_train(const Command& command);
int run_eval(const Command& command);
int run_sample(const Command& command);
int run_machine(const Command& command);
int run_doctor(const Command& command);
int run_ops(const Command& command);

}  // namespace pleiad
