#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "graph/task_graph.hpp"
#include "perfmodels/machine.hpp"
#include "perfmodels/store.hpp"

namespace pleiad {

/// Runtime cost of a task assumed for a worker that nobody has measured.
inline constexpr double kUnknownOverhead_us = 10;

/// Predicted step on a machine: list scheduling of the task graph by priorities on its workers. Transfers count
/// nothing.
struct Estimate {
  double step_us = 0;
  double area_us = 0;           // all work spread evenly: no schedule is shorter
  double critical_path_us = 0;  // longest path: neither
  std::vector<double> busy_us;  // one a worker: inside kernels
};

/// Sets KernelCall::impl and predicted_us: pinned implementations from the plan, else the fastest measured one, else
/// the first that fits by roofline; with GPU workers the same for GPUs, where nothing is pinned. Throws as
/// pinned_implementation does, and Error (Exit::hardware) without CPU workers.
void predict(TaskGraph&, const Numerics&, const Machine&, const KernelTimes&);
/// Needs predictions and priorities. Each worker adds its overhead_us (or kUnknownOverhead_us) to every task. At equal
/// priority the task recorded first starts first, on the worker that will have done it first. Throws Error
/// (Exit::hardware) without CPU workers.
Estimate estimate(const TaskGraph&, const Machine&);

/// A kernel (distinct kernel_key x implementation) whose time is not known. The reference counts only if nothing else
/// fits.
struct MissingKernel {
  std::string key;
  const Op* op = nullptr;
  int impl = 0;
  int attrs = 0, signature = 0;  // of the task graph
  std::vector<Tile> tiles;
  Cost cost;  // of all its calls in the task graph
};
std::vector<MissingKernel> missing_kernels(const TaskGraph&, const KernelTimes&, Device = Device::cpu);

/// What Numerics::implementations must hold so that a saved plan reproduces the bits. One entry a kernel key: the
/// fastest measured. Deterministic: one entry an op, the fastest in total over the task graph, so that shapes not in it
/// (another batch) run by the same code; and one a kernel key that this implementation cannot run.
std::map<std::string, std::string> choose_implementations(const TaskGraph&, const KernelTimes&, bool deterministic);

/// Memory that a step's buffers take together. Needs slots.
struct MemoryNeed {
  std::size_t parameters_bytes = 0;   // with optimizer state
  std::size_t activations_bytes = 0;  // and gradients, inputs
  std::size_t total_bytes() const { return parameters_bytes + activations_bytes; }
};
MemoryNeed memory_need(const Graph&, const TaskGraph&);
/// `share` of what this process may use of the first memory; no limit if the machine names no memory.
std::size_t usable_bytes(const Machine&, double share);
/// Throws Error (Exit::memory) if `need` exceeds usable_bytes; `fitting_batch`: the largest batch that
/// fits, 0 if none does, < 0 if nobody knows.
void check_memory(const MemoryNeed& need, const Machine&, double share, Index fitting_batch = -1);
/// Largest batch below `below` whose need is at most `bytes`, or 0; the need must grow with the batch.
Index largest_batch(std::size_t bytes, Index below, const std::function<std::size_t(Index)>& need_bytes);

struct PlanRequest {
  std::vector<Index> batch_tiles;  // sizes pinned by the user; empty: choose
  bool deterministic = false;      // pin one implementation per op, for every shape
  double grain_us = -1;            // < 0: choose
  std::vector<Sym> keep;
  double budget_us = 2e6;  // for timing kernels not yet timed; spent on the most costly ones first
  std::string batch_class = "batch";
  double memory_share = 0.8;            // of the first memory
  std::function<Graph(Index)> rebuild;  // the model for another batch, to say which one fits; may be empty
};
struct Planned {
  Plan plan;
  TaskGraph tasks;  // fused, with priorities and slots
  Estimate estimate;
  MemoryNeed memory;
  std::size_t timed = 0;  // kernels timed for it now
  double timing_us = 0;
};
/// Tries numbers of batch tiles (1, W, 2W, 3W, 4W for W workers), lanes (1, W) and grains, times the kernels it lacks
/// within the budget, and takes the shortest predicted step; within 4 % the one with fewer tasks. Only plans that could
/// be the shortest are timed. Times found are added to `times`; saving them is the caller's. Throws Error
/// (Exit::memory) if no plan fits the memory.
Planned make_plan(const Graph&, const Classes&, const Machine&, KernelTimes& times, const PlanRequest&);
/// Lowers, predicts, fuses, sets priorities and slots for a plan that is given.
Planned apply_plan(const Graph&, const Classes&, const Machine&, const KernelTimes&, const Plan&,
                   const std::vector<Sym>& keep);

}  // namespace pleiad
