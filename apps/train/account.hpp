#pragma once
#include <vector>

#include "runtime/starpu_executor.hpp"

namespace pleiad {

/// Where the time of a number of steps went. Times in seconds, summed over workers except `wall` and `step`.
struct Account {
  Index steps = 0, samples = 0;
  double wall = 0;        // of the loop, reading of batches included
  double step = 0;        // of task graphs alone
  double busy = 0;        // in kernels
  double scheduling = 0;  // in the runtime while there was work
  double moved_bytes = 0;
  std::vector<double> busy_by_worker;
  std::vector<double> tasks_by_worker;
  std::vector<double> in_by_worker, out_by_worker;  // bytes moved into and out of a GPU worker's memory

  void add(const StepReport&, double wall_seconds, Index samples);
  void add(const Account&);
  double workers() const { return static_cast<double>(busy_by_worker.size()); }
  double busy_share() const { return busy / (wall * workers()); }
  double scheduling_share() const { return scheduling / (wall * workers()); }
  double waiting_share() const;
  double step_ms() const { return 1e3 * step / static_cast<double>(steps); }
  double samples_per_second() const { return static_cast<double>(samples) / wall; }
};

}  // namespace pleiad
