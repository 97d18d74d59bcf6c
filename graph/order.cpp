#include "graph/order.hpp"

#include <algorithm>
#include <queue>

#include "graph/index.hpp"

namespace pleiad {

void order_depth_first(TaskGraph& g) {
  Edges edges = edges_of(g);
  std::priority_queue<std::pair<int, int>> ready;  // (node, minus the task's number)
  const auto push = [&](int i) { ready.emplace(at(g.tasks, i).calls[0].node, -i); };
  for (int i = 0; i < count(g.tasks); ++i)
    if (at(edges.waits, i) == 0) push(i);
  std::vector<Task> ordered;
  ordered.reserve(g.tasks.size());
  while (!ready.empty()) {
    const int i = -ready.top().second;
    ready.pop();
    ordered.push_back(std::move(at(g.tasks, i)));
    for (int next : at(edges.after, i))
      if (--at(edges.waits, next) == 0) push(next);
  }
  g.tasks = std::move(ordered);
}

void set_liveness(TaskGraph& g) {
  for (Buffer& b : g.buffers) b.first_use = b.last_use = -1;
  for (int i = 0; i < count(g.tasks); ++i)
    for (const KernelCall& call : at(g.tasks, i).calls)
      for (const Arg& a : call.args) {
        Buffer& b = at(g.buffers, a.buffer);
        if (b.first_use < 0) b.first_use = i;
        b.last_use = i;
      }
}

void set_priorities(TaskGraph& g) {
  const Edges edges = edges_of(g);
  for (int i = count(g.tasks); i-- > 0;) {
    double rest = 0;
    for (int next : at(edges.after, i)) rest = std::max(rest, at(g.tasks, next).priority);
    at(g.tasks, i).priority = at(g.tasks, i).predicted_us() + rest;
  }
}

}  // namespace pleiad
