#pragma once
#include "graph/task_graph.hpp"

namespace pleiad {

/// Reorders tasks topologically, always taking the ready one deepest in the graph: a batch tile goes backward as soon
/// as it can, which frees its activations early.
void order_depth_first(TaskGraph&);
/// Sets first_use and last_use of every buffer.
void set_liveness(TaskGraph&);

}  // namespace pleiad
