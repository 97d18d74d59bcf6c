#pragma once
#include <span>
#include <string>
#include <vector>

#include "graph/plan.hpp"

namespace pleiad {

enum class Access : std::uint8_t { read, write, update };

/// One tile of a logical tensor, or a partial sum of one.
struct Buffer {
  Sym tensor;
  Shape shape, origin, whole;
  DType dtype = DType::f32;
  int owner = 0;                      // rank
  int lane = -1;                      // of a partial sum; -1: the tile itself
  bool keep = false;                  // outlives the step
  int first_use = -1, last_use = -1;  // task numbers, in recorded order; -1: unused
  int slot = -1;                      // memory it lives in, see Slot

  std::size_t bytes() const { return static_cast<std::size_t>(shape.volume()) * size_of(dtype); }
};

/// Memory shared by buffers whose uses are ordered by dependencies anyway, so that sharing costs no parallelism.
struct Slot {
  std::size_t bytes = 0;
  bool keep = false;
};

struct Arg {
  int buffer = -1;
  Access access = Access::read;
  bool accumulate = false;  // an output added to what is there
};

/// One kernel execution of a task.
struct KernelCall {
  const Op* op = nullptr;
  int node = -1;      // of the graph it comes from
  int signature = 0;  // index into TaskGraph::signatures
  int attrs = 0;      // index into TaskGraph::attrs
  int impl = 0;       // index into op->impls, for CPUs
  std::vector<Arg> args;
  Cost cost;
  double predicted_us = 0;  // on one CPU worker; filled by `predict`
  // The same for GPUs; filled by `predict` where the machine has GPU workers and the call can run on them.
  int gpu_impl = -1;
  double gpu_predicted_us = 0;
};

/// What is submitted at once: one kernel call, or a few fused ones that run in order on the same worker.
struct Task {
  std::vector<KernelCall> calls;
  int rank = 0;
  int lane = 0;
  int shard = -1;       // number of the tile along the classes that no parameter has (batch); -1: works on none of them
  double priority = 0;  // predicted microseconds from its start to the end of the step (longest path)

  std::string name() const;  // "linear", "linear_dw+adam"
  double predicted_us() const;
  /// Whether a GPU worker can run it, and how long that takes.
  bool runs_on_gpus() const;
  double gpu_predicted_us() const;
};

/// A training step as plain data, in recorded order (a valid execution order, depth-first).
struct TaskGraph {
  std::vector<Buffer> buffers;
  std::vector<Slot> slots;
  std::vector<Task> tasks;
  std::vector<Signature> signatures;
  std::vector<Attrs> attrs;
  std::vector<std::vector<int>> tiles;  // [tensor] -> its buffers, row-major over its grid of tiles

  const Signature& signature_of(const KernelCall& c) const { return signatures[static_cast<std::size_t>(c.signature)]; }
  const Attrs& attrs_of(const KernelCall& c) const { return attrs[static_cast<std::size_t>(c.attrs)]; }
};

/// Cuts every op along the plan's boundaries; accumulates through lanes and a fixed binary tree; orders depth-first;
/// sets implementations, liveness and owners. `keep` lists temporary tensors that must survive the step (the loss).
TaskGraph lower(const Graph&, const Classes&, const Plan&, std::span<const Sym> keep = {});

/// Dependencies that recorded order and accesses imply: for each task the later tasks that wait for it. With slots set,
/// sharing a slot counts as well.
struct Edges {
  std::vector<std::vector<int>> after;
  std::vector<int> waits;  // number of tasks that each task waits for
};
Edges edges_of(const TaskGraph&);

/// Buffers a task touches, each once, with the access the whole task needs (first written by the task: write).
std::vector<Arg> accesses_of(const TaskGraph&, const Task&);

/// Fuses chains of tasks and runs of small independent ones until tasks reach `grain_us` of predicted time. Kernel
/// calls keep their order along every dependency, so no result changes. Needs predictions.
void fuse(TaskGraph&, double grain_us);
/// Sets Task::priority to the longest path to the end of the step.
void set_priorities(TaskGraph&);
/// Assigns slots: a buffer takes over a slot only if all its users depend on all earlier users of the slot.
void assign_slots(TaskGraph&);

/// Largest number of bytes alive on each rank when tasks run in recorded order (exact liveness, no slots).
std::vector<std::size_t> peak_bytes(const TaskGraph&, int ranks);

/// Tiles of a call as a kernel sees them, with null data.
std::vector<Tile> tiles_of(const TaskGraph&, const KernelCall&);
/// "linear fp32 64x784,512x784,512->64x512": what a kernel's time and a pinned implementation are filed under: op (with
/// its notation where a call gives it), dtype and operand shapes; & updated in place, + accumulated into.
std::string kernel_key(const TaskGraph&, const KernelCall&);

/// Whether an implementation is for this kind of device and may run a call.
bool fits(const TaskGraph&, const KernelCall&, int impl, Device = Device::cpu);
/// Index into op->impls that is pinned for a call, by kernel_key or else by op name; -1: none is. Throws Error
/// (Exit::usage) naming those of the op if it has no such implementation or the call does not suit it.
int pinned_implementation(const TaskGraph&, const KernelCall&, const Numerics&);
/// The pinned implementation, else the first that fits. Throws Error (Exit::usage) if none does.
int implementation_of(const TaskGraph&, const KernelCall&, const Numerics&);

/// "linear x[0:64,0:784] layers.0.weight layers.0.bias =linear[0:64,0:512]": = written, & updated in place, +
/// accumulated into, ~1 the partial sum of lane 1.
std::string to_text(const Graph&, const TaskGraph&, const KernelCall&);
/// One line a task: number, lane, rank, kernel calls. For tests and `--dry-run -v`.
std::string to_text(const Graph&, const TaskGraph&);

}  // namespace pleiad
