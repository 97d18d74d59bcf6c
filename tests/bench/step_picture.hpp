#pragma once
#include <string>

#include "graph/planner.hpp"
#include "runtime/starpu_executor.hpp"

namespace pleiad {

/// One measured step as SVG: a row of boxes for each worker over time, coloured by what the task does, with the
/// predicted length of the step marked. Needs StarpuExecutor::keep_timeline.
std::string step_picture(const Planned&, const StepReport&);

}  // namespace pleiad
