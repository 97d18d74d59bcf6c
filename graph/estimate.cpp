#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>

#include "graph/planner.hpp"

namespace pleiad {
namespace {

/// A machine whose CPU workers are free or run one task each; time moves from one end of a task to the next.
class Simulation {
 public:
  Simulation(const TaskGraph& g, std::vector<double> overhead_us)
      : edges_(edges_of(g)), overhead_us_(std::move(overhead_us)), busy_us_(overhead_us_.size()) {
    for (const Task& t : g.tasks) {
      length_us_.push_back(t.predicted_us());
      priority_.push_back(t.priority);
    }
    for (std::size_t w = 0; w < overhead_us_.size(); ++w) idle_.push(static_cast<int>(w));
    for (std::size_t i = 0; i < edges_.waits.size(); ++i)
      if (edges_.waits[i] == 0) make_ready(static_cast<int>(i));
  }

  Estimate run() {
    Estimate e;
    bounds(e);
    start_tasks();
    while (!running_.empty()) {
      now_us_ = std::get<0>(running_.top());
      while (!running_.empty() && std::get<0>(running_.top()) <= now_us_) end_task();
      start_tasks();
    }
    e.step_us = now_us_;
    e.busy_us = busy_us_;
    return e;
  }

 private:
  void make_ready(int task) { ready_.emplace(priority_[static_cast<std::size_t>(task)], -task); }

  void start_tasks() {
    while (!ready_.empty() && !idle_.empty()) {
      const int task = -ready_.top().second, worker = idle_.top();
      ready_.pop();
      idle_.pop();
      const double length = length_us_[static_cast<std::size_t>(task)];
      busy_us_[static_cast<std::size_t>(worker)] += length;
      running_.emplace(now_us_ + length + overhead_us_[static_cast<std::size_t>(worker)], worker, task);
    }
  }
  void end_task() {
    const auto [time, worker, task] = running_.top();
    running_.pop();
    idle_.push(worker);
    for (int next : edges_.after[static_cast<std::size_t>(task)])
      if (--edges_.waits[static_cast<std::size_t>(next)] == 0) make_ready(next);
  }
  /// Recorded order is a topological order, so one pass finds the longest path.
  void bounds(Estimate& e) const {
    const double overhead = *std::min_element(overhead_us_.begin(), overhead_us_.end());
    std::vector<double> start(length_us_.size());
    for (std::size_t i = 0; i < length_us_.size(); ++i) {
      const double length = length_us_[i] + overhead;
      e.area_us += length / static_cast<double>(overhead_us_.size());
      e.critical_path_us = std::max(e.critical_path_us, start[i] + length);
      for (int next : edges_.after[i]) {
        double& s = start[static_cast<std::size_t>(next)];
        s = std::max(s, start[i] + length);
      }
    }
  }

  using Running = std::tuple<double, int, int>;  // end, worker, task
  Edges edges_;
  std::vector<double> overhead_us_, busy_us_, length_us_, priority_;
  std::priority_queue<std::pair<double, int>> ready_;  // priority, -task
  std::priority_queue<int, std::vector<int>, std::greater<>> idle_;
  std::priority_queue<Running, std::vector<Running>, std::greater<>> running_;
  double now_us_ = 0;
};

}  // namespace

Estimate estimate(const TaskGraph& g, const Machine& m) {
  cpu_worker(m);  // there must be one
  std::vector<double> overhead_us;
  for (const Worker& w : m.workers)
    if (w.device == Device::cpu) overhead_us.push_back(w.overhead_us > 0 ? w.overhead_us : kUnknownOverhead_us);
  return Simulation(g, std::move(overhead_us)).run();
}

}  // namespace pleiad
