#include "runtime/step_report.hpp"

#include <algorithm>

#include "graph/index.hpp"

namespace pleiad {
namespace {

struct Event {
  double us;
  int ready;   // change of the number of ready tasks
  int worker;  // -1: none
  bool busy;   // what becomes of the worker
};

std::vector<double> ready_times(const std::vector<TaskRecord>& tasks, const Edges& edges, double begin_us) {
  std::vector<double> ready(tasks.size(), begin_us);
  for (std::size_t t = 0; t < tasks.size(); ++t)
    for (int next : edges.after[t]) {
      double& r = at(ready, next);
      r = std::max(r, tasks[t].end_us);
    }
  return ready;
}

std::vector<Event> events_of(const std::vector<TaskRecord>& tasks, const Edges& edges, double begin_us) {
  const std::vector<double> ready = ready_times(tasks, edges, begin_us);
  std::vector<Event> events;
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    events.push_back({ready[t], 1, -1, false});
    events.push_back({tasks[t].start_us, -1, tasks[t].worker, true});
    events.push_back({tasks[t].end_us, 0, tasks[t].worker, false});
  }
  std::ranges::stable_sort(events, {}, &Event::us);
  return events;
}

}  // namespace

std::vector<int> tasks_done(const std::vector<TaskRecord>& tasks, std::size_t workers) {
  std::vector<int> done(workers);
  for (const TaskRecord& t : tasks) ++at(done, t.worker);
  return done;
}

std::vector<double> busy_us(const std::vector<TaskRecord>& tasks, std::size_t workers) {
  std::vector<double> busy(workers);
  for (const TaskRecord& t : tasks) at(busy, t.worker) += t.end_us - t.start_us;
  return busy;
}

std::vector<double> overhead_us(const std::vector<TaskRecord>& tasks, const Edges& edges, double begin_us,
                                double end_us, std::size_t workers) {
  std::vector<double> lost(workers);
  std::vector<char> busy(workers);
  double now = begin_us;
  int ready = 0, idle = static_cast<int>(workers);
  const auto pass = [&](double until, double share) {
    for (std::size_t w = 0; w < workers; ++w)
      if (!busy[w]) lost[w] += (until - now) * share;
    now = until;
  };
  for (const Event& e : events_of(tasks, edges, begin_us)) {
    if (e.us > now) pass(e.us, idle == 0 ? 0 : static_cast<double>(std::min(ready, idle)) / idle);
    ready += e.ready;
    if (e.worker < 0) continue;
    at(busy, e.worker) = e.busy;
    idle += e.busy ? -1 : 1;
  }
  if (end_us > now) pass(end_us, 1);
  return lost;
}

}  // namespace pleiad
