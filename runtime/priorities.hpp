#pragma once
#include <string_view>
#include <vector>

#include "graph/task_graph.hpp"

namespace pleiad {

/// Priorities of tasks by rank: the urgent task gets the larger integer, tasks of equal priority the same one, spread
/// evenly where the range [least, most] has fewer integers than there are ranks; from 0 up if the range allows it.
std::vector<int> ranked_priorities(const TaskGraph&, int least, int most);
/// The same in the range of the running policy, and in its sense: heteroprio runs small numbers first.
std::vector<int> scheduler_priorities(const TaskGraph&, std::string_view policy);

}  // namespace pleiad
