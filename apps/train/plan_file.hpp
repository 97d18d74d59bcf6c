#pragma once
#include <filesystem>
#include <string>

#include "graph/planner.hpp"

namespace pleiad {

/// plan.json of a run: the plan, what it was made for and what it promised.
struct PlanFile {
  Plan plan;
  std::string hardware_key;  // of the machine it was made for; "" in a file written by hand
  double predicted_step_us = 0;
};

void write_plan_file(const std::filesystem::path&, const Planned&, const Machine&);
/// Error (Exit::data) naming the file if it is missing or damaged.
PlanFile read_plan_file(const std::filesystem::path&);

}  // namespace pleiad
