#include "runtime/step_progress.hpp"

#include <algorithm>
#include <cstdio>

#include "graph/index.hpp"

namespace pleiad {
namespace {

constexpr auto kHandOver = std::chrono::milliseconds(1);  // at most, on a machine that is busy otherwise

}  // namespace

StepProgress::StepProgress(Edges edges, Clock::time_point origin, std::size_t workers)
    : edges_(std::move(edges)),
      origin_(origin),
      size_(edges_.waits.size()),
      status_(std::make_unique<std::atomic<int>[]>(size_)),
      records_(size_),
      last_end_us_(workers) {
  for (std::size_t t = 0; t < size_; ++t) records_[t].task = static_cast<int>(t);
}

void StepProgress::begin() {
  for (std::size_t t = 0; t < size_; ++t) status_[t].store(edges_.waits[t], std::memory_order_relaxed);
  waiter_is_awake_ = false;
  ended_.store(0, std::memory_order_release);
}

void StepProgress::start(int task, int worker) noexcept {
  const auto t = static_cast<std::size_t>(task);
  if (status_[t].load(std::memory_order_acquire) != kReady)
    fatal("task " + std::to_string(task) + " started before the tasks it depends on had ended");
  records_[t].worker = worker;
  records_[t].start_us = now_us();
  status_[t].store(kRunning, std::memory_order_release);
}

void StepProgress::end(int task) noexcept {
  const auto t = static_cast<std::size_t>(task);
  double& last_end_us = at(last_end_us_, records_[t].worker);
  records_[t].start_us = std::max(records_[t].start_us, last_end_us);
  records_[t].end_us = last_end_us = now_us();
  status_[t].store(kEnded, std::memory_order_release);
  for (int next : edges_.after[t]) status_[static_cast<std::size_t>(next)].fetch_sub(1, std::memory_order_acq_rel);
  if (ended_.fetch_add(1, std::memory_order_acq_rel) + 1 < size_) return;
  hand_over();
}

/// Sleeps until the submitting thread has woken up: where every core has a worker, and workers spin while they have
/// nothing to do, it might have to wait for a core as long as the system's time slice.
void StepProgress::hand_over() noexcept {
  std::unique_lock lock(mutex_);
  all_ended_.notify_one();
  awake_.wait_for(lock, kHandOver, [this] { return waiter_is_awake_; });
}

bool StepProgress::wait(double stall_seconds) {
  std::unique_lock lock(mutex_);
  const bool ended = wait(lock, stall_seconds);
  waiter_is_awake_ = true;
  awake_.notify_one();
  return ended;
}

bool StepProgress::wait(std::unique_lock<std::mutex>& lock, double stall_seconds) {
  const auto all = [this] { return ended_.load(std::memory_order_acquire) == size_; };
  if (stall_seconds <= 0) {
    all_ended_.wait(lock, all);
    return true;
  }
  constexpr int looks = 8;  // within the time limit
  std::size_t seen = 0;
  for (int quiet = 0; quiet < looks; ++quiet) {
    if (all_ended_.wait_for(lock, std::chrono::duration<double>(stall_seconds / looks), all)) return true;
    const std::size_t now = ended_.load(std::memory_order_acquire);
    if (now != seen) quiet = -1;
    seen = now;
  }
  return false;
}

std::vector<int> StepProgress::tasks_that_are(int status) const {
  std::vector<int> found;
  for (std::size_t t = 0; t < size_; ++t)
    if (status_[t].load(std::memory_order_acquire) == status) found.push_back(static_cast<int>(t));
  return found;
}

StepProgress::Counts StepProgress::counts() const {
  Counts c;
  for (std::size_t t = 0; t < size_; ++t) {
    const int s = status_[t].load(std::memory_order_acquire);
    ++(s == kEnded ? c.ended : s == kRunning ? c.running : s == kReady ? c.ready : c.waiting);
  }
  return c;
}

std::string StepProgress::stall_reason(const TaskGraph& graph, const std::vector<WorkerInfo>& workers,
                                       double stall_seconds) const {
  constexpr std::size_t most = 4;  // names a line
  const auto name = [&](int t) { return at(graph.tasks, t).name(); };
  const Counts c = counts();
  char head[160];
  std::snprintf(head, sizeof head, "stalled: no task finished for %g s (%d ready, %d running, %d waiting, %d done)",
                stall_seconds, c.ready, c.running, c.waiting, c.ended);
  std::string running, ready;
  for (int t : tasks_that_are(kRunning)) {
    const TaskRecord& r = at(records_, t);
    char since[48];
    std::snprintf(since, sizeof since, " for %.1f s", (now_us() - r.start_us) * 1e-6);
    running += (running.empty() ? "\n" : ", ") + at(workers, r.worker).name + ": " + name(t) + since;
  }
  const std::vector<int> waiting = tasks_that_are(kReady);
  for (std::size_t i = 0; i < waiting.size() && i < most; ++i)
    ready += (i == 0 ? "\nready: " : ", ") + name(waiting[i]);
  if (waiting.size() > most) ready += ", ...";
  return head + running + ready +
         "\nthis step is lost and the program must end; if tasks do take that long, raise train.stall";
}

}  // namespace pleiad
