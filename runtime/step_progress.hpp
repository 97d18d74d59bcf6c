#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "graph/task_graph.hpp"
#include "runtime/starpu_executor.hpp"

namespace pleiad {

/// Where each task of a step stands. Workers report starts and ends; the submitting thread waits for the last one.
/// Checks that no task starts before those it depends on have ended.
class StepProgress {
 public:
  using Clock = std::chrono::steady_clock;

  StepProgress(Edges edges, Clock::time_point origin, std::size_t workers);

  /// Before the first submission of a step; nothing is running.
  void begin();
  /// On a worker, around the kernels of a task. A GPU worker may start several ahead: each counts from the end of the
  /// one before.
  void start(int task, int worker) noexcept;
  void end(int task) noexcept;
  /// Blocks until the kernels of every task have ended; the worker of the last one lets its core go. False if none
  /// ended for `stall_seconds` (0: waits for ever).
  bool wait(double stall_seconds);

  struct Counts {
    int waiting = 0, ready = 0, running = 0, ended = 0;
  };
  Counts counts() const;
  /// Why nothing moves, in at most four lines: what runs where and since when, and what is ready.
  std::string stall_reason(const TaskGraph&, const std::vector<WorkerInfo>&, double stall_seconds) const;

  double now_us() const { return std::chrono::duration<double, std::micro>(Clock::now() - origin_).count(); }
  /// One a task, in the order of the task graph. Valid between steps.
  const std::vector<TaskRecord>& records() const { return records_; }
  const Edges& edges() const { return edges_; }

 private:
  static constexpr int kReady = 0, kRunning = -1, kEnded = -2;  // positive: ends it still waits for

  std::vector<int> tasks_that_are(int status) const;
  void hand_over() noexcept;
  bool wait(std::unique_lock<std::mutex>&, double stall_seconds);

  Edges edges_;
  Clock::time_point origin_;
  std::size_t size_;
  std::unique_ptr<std::atomic<int>[]> status_;
  std::vector<TaskRecord> records_;
  std::vector<double> last_end_us_;  // one a worker
  std::atomic<std::size_t> ended_ = 0;
  std::mutex mutex_;
  std::condition_variable all_ended_, awake_;
  bool waiter_is_awake_ = false;  // guarded by mutex_
};

}  // namespace pleiad
