#include "runtime/priorities.hpp"

#include <starpu.h>

#include <algorithm>
#include <cstdint>

namespace pleiad {

std::vector<int> ranked_priorities(const TaskGraph& graph, int least, int most) {
  std::vector<double> ranks;
  for (const Task& t : graph.tasks) ranks.push_back(t.priority);
  std::ranges::sort(ranks);
  const auto repeated = std::ranges::unique(ranks);
  ranks.erase(repeated.begin(), repeated.end());
  const auto top = std::max<std::int64_t>(1, static_cast<std::int64_t>(ranks.size()) - 1);
  const std::int64_t range = std::int64_t{most} - least;
  const std::int64_t from = least <= 0 && top <= most ? 0 : least;
  std::vector<int> result;
  for (const Task& t : graph.tasks) {
    const std::int64_t rank = std::ranges::lower_bound(ranks, t.priority) - ranks.begin();
    result.push_back(static_cast<int>(top <= range ? from + rank : least + rank * range / top));
  }
  return result;
}

std::vector<int> scheduler_priorities(const TaskGraph& graph, std::string_view policy) {
  const int least = starpu_sched_get_min_priority(), most = starpu_sched_get_max_priority();
  std::vector<int> priorities = ranked_priorities(graph, least, most);
  if (policy == "heteroprio")
    for (int& p : priorities) p = least + most - p;
  return priorities;
}

}  // namespace pleiad
