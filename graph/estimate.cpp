#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <set>

#include "graph/planner.hpp"

namespace pleiad {
namespace {

/// A machine whose workers are free or run one task each; time moves from one end of a task to the next.
class Simulation {
 public:
  Simulation(const TaskGraph& g, const Machine& m)
      : edges_(edges_of(g)), free_at_us_(m.workers.size()), busy_us_(m.workers.size()) {
    for (const Worker& w : m.workers) {
      const bool gpu = w.device == Device::gpu;
      overhead_us_.push_back(w.overhead_us > 0 ? w.overhead_us : kUnknownOverhead_us);
      auto& length = length_us_.emplace_back();
      for (const Task& t : g.tasks)
        length.push_back(!gpu ? t.predicted_us() : t.runs_on_gpus() ? t.gpu_predicted_us() : kNever);
    }
    for (const Task& t : g.tasks) priority_.push_back(t.priority);
    for (std::size_t i = 0; i < edges_.waits.size(); ++i)
      if (edges_.waits[i] == 0) make_ready(static_cast<int>(i));
  }

  Estimate run() {
    Estimate e;
    bounds(e);
    start_tasks();
    while (!running_.empty()) {
      now_us_ = running_.top().first;
      while (!running_.empty() && running_.top().first <= now_us_) end_task();
      start_tasks();
    }
    e.step_us = now_us_;
    e.busy_us = busy_us_;
    return e;
  }

 private:
  using Ready = std::set<std::pair<double, int>, std::greater<>>;  // priority, -task

  void make_ready(int task) { ready_.emplace(priority_[static_cast<std::size_t>(task)], -task); }

  double time_us(std::size_t worker, std::size_t task) const { return length_us_[worker][task] + overhead_us_[worker]; }

  /// The worker that ends a task first if it starts it when it is free; the first of them.
  std::size_t best_worker(std::size_t task, const std::vector<double>& free_at_us) const {
    const auto end_us = [&](std::size_t w) { return std::max(now_us_, free_at_us[w]) + time_us(w, task); };
    std::size_t best = 0;
    for (std::size_t w = 1; w < free_at_us.size(); ++w)
      if (end_us(w) < end_us(best)) best = w;
    return best;
  }

  /// By priority. A task whose best worker is busy leaves the others to the next tasks.
  void start_tasks() {
    std::vector<double> free_at_us = free_at_us_;  // as tasks that wait for a worker will make it
    const auto idle = [&] { return std::ranges::any_of(free_at_us, [&](double t) { return t <= now_us_; }); };
    for (auto it = ready_.begin(); it != ready_.end() && idle();) {
      const auto task = static_cast<std::size_t>(-it->second);
      const std::size_t worker = best_worker(task, free_at_us);
      const bool starts = free_at_us[worker] <= now_us_;
      free_at_us[worker] = std::max(now_us_, free_at_us[worker]) + time_us(worker, task);
      it = starts ? start(it, worker) : std::next(it);
    }
  }
  Ready::iterator start(Ready::iterator ready, std::size_t worker) {
    const auto task = static_cast<std::size_t>(-ready->second);
    busy_us_[worker] += length_us_[worker][task];
    free_at_us_[worker] = now_us_ + time_us(worker, task);
    running_.emplace(free_at_us_[worker], static_cast<int>(task));
    return ready_.erase(ready);
  }
  void end_task() {
    const auto task = static_cast<std::size_t>(running_.top().second);
    running_.pop();
    for (int next : edges_.after[task])
      if (--edges_.waits[static_cast<std::size_t>(next)] == 0) make_ready(next);
  }
  /// Recorded order is a topological order, so one pass finds the longest path. The area bound takes each task where it
  /// is fastest.
  void bounds(Estimate& e) const {
    const std::size_t workers = overhead_us_.size();
    std::vector<double> start(priority_.size());
    for (std::size_t i = 0; i < priority_.size(); ++i) {
      double length = time_us(0, i);
      for (std::size_t w = 1; w < workers; ++w) length = std::min(length, time_us(w, i));
      e.area_us += length / static_cast<double>(workers);
      e.critical_path_us = std::max(e.critical_path_us, start[i] + length);
      for (int next : edges_.after[i]) {
        double& s = start[static_cast<std::size_t>(next)];
        s = std::max(s, start[i] + length);
      }
    }
  }

  static constexpr double kNever = std::numeric_limits<double>::infinity();

  Edges edges_;
  std::vector<double> overhead_us_, free_at_us_, busy_us_;  // one a worker
  std::vector<std::vector<double>> length_us_;              // [worker][task]
  std::vector<double> priority_;                            // one a task
  Ready ready_;
  std::priority_queue<std::pair<double, int>, std::vector<std::pair<double, int>>, std::greater<>>
      running_;  // end, task
  double now_us_ = 0;
};

}  // namespace

Estimate estimate(const TaskGraph& g, const Machine& m) {
  cpu_worker(m);  // there must be one
  return Simulation(g, m).run();
}

}  // namespace pleiad
