#pragma once
#include <memory>
#include <string>
#include <vector>

#include "graph/executor.hpp"
#include "runtime/session.hpp"

namespace pleiad {

/// One executed task; times in microseconds since the session started.
struct TaskRecord {
  int task = -1;  // index into TaskGraph::tasks
  int worker = -1;
  double start_us = 0, end_us = 0;
};
/// What one step did.
struct StepReport {
  double step_us = 0;               // from first submission until all tasks have ended
  double submit_us = 0;             // spent submitting, on the calling thread
  std::vector<double> busy_us;      // one a worker: inside kernels
  std::vector<double> overhead_us;  // one a worker: in the runtime while work was there
  std::vector<int> tasks_done;      // one a worker
  double moved_bytes = 0;           // between memories
  std::vector<double> in_bytes;     // one a worker: moved into its memory, 0 for CPUs
  std::vector<double> out_bytes;    // out of it
  std::vector<TaskRecord> tasks;    // only when asked for with keep_timeline(true)
};

/// Submits the recorded task graph to StarPU every step, with priorities; memory lives in a registered huge-page pool.
/// Runs the implementation each kernel call names, in the order that edges_of gives, so all policies give the same
/// bits. Used from the thread that made it; outlived by session and graph. Executors of one session take turns.
class StarpuExecutor final : public Executor {
 public:
  StarpuExecutor(Session&, const Graph&, TaskGraph);
  ~StarpuExecutor() override;
  void write(Sym, std::span<const std::byte> values) override;
  void read(Sym, std::span<std::byte> values) const override;
  /// Throws Error (Exit::stalled) with a readable reason if no task ends for SessionOptions::stall_seconds. StarPU
  /// cannot cancel a task: after that the executors and the session leave their memory and threads as they are when
  /// destroyed, nothing else may be done with them, and the program ends by std::_Exit.
  void step(const Step&) override;

  /// Worked out when asked for: some microseconds for small graphs.
  const StepReport& last_step() const;
  void keep_timeline(bool on);
  std::size_t pool_bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pleiad
