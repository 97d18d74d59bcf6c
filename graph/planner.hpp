#pragma once
#include <functional>
#include <string>
#include <vector>

#include "graph/task_graph.hpp"
#include "perfmodels/machine.hpp"
#include "perfmodels/store.hpp"

namespace pleiad {

/// Predicted step on a machine: list scheduling of the task graph by priorities.
struct Estimate {
  double step_us = 0;
  double area_us = 0;           // all work spread evenly: no schedule is shorter
  double critical_path_us = 0;  // longest path: neither
  std::vector<double> busy_us;  // one a worker
};

/// Sets KernelCall::impl and predicted_us: pinned implementations from the plan, else the fastest measured one, else
/// the first that fits by roofline.
void predict(TaskGraph&, const Numerics&, const Machine&, const KernelTimes&);
/// Needs predictions and priorities. Adds each worker's overhead_us per task.
Estimate estimate(const TaskGraph&, const Machine&);

/// Kernels (distinct kernel_key x implementation) of a task graph that `times` lacks.
struct MissingKernel {
  std::string key;
  const Op* op;
  int impl;
  int attrs, signature;
  std::vector<Tile> tiles;
};
std::vector<MissingKernel> missing_kernels(const TaskGraph&, const KernelTimes&);

struct PlanRequest {
  std::vector<Index> batch_tiles;  // sizes pinned by the user; empty: choose
  bool deterministic = false;      // pin one implementation per op, for every shape
  double grain_us = -1;            // < 0: choose
  std::vector<Sym> keep;
  double budget_us = 2e6;          // for timing kernels not yet timed; spent on the most costly ones first
  std::string batch_class = "batch";
};
struct Planned {
  Plan plan;
  TaskGraph tasks;     // fused, with priorities and slots
  Estimate estimate;
  std::size_t timed = 0;  // kernels timed for it now
  double timing_us = 0;
};
/// Tries numbers of batch tiles (1, W, 2W, 3W, 4W workers) and lanes, times the kernels it lacks within the budget, and
/// takes the shortest predicted step; ties go to fewer tiles. Times found are added to `times`.
Planned make_plan(const Graph&, const Classes&, const Machine&, KernelTimes& times, const PlanRequest&);
/// Lowers, predicts, fuses, sets priorities and slots for a plan that is given.
Planned apply_plan(const Graph&, const Classes&, const Machine&, const KernelTimes&, const Plan&, const std::vector<Sym>& keep);

}  // namespace pleiad
