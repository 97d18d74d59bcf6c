#pragma once
#include <starpu.h>

#include <span>
#include <vector>

#include "graph/task_graph.hpp"
#include "runtime/codelet.hpp"
#include "runtime/handle.hpp"
#include "runtime/session_state.hpp"
#include "runtime/step_progress.hpp"

namespace pleiad {

/// One task of a task graph as StarPU runs it, submitted anew every step. StarPU keeps its address.
class PreparedTask {
 public:
  /// `slots`: one handle a slot. The task graph, progress and step outlive the task.
  PreparedTask(const TaskGraph&, int index, const std::vector<BorrowedHandle>& slots, starpu_codelet*, int priority,
               StepProgress&, const Step&, const Session::State&);
  /// The task is not running.
  ~PreparedTask();
  PreparedTask(const PreparedTask&) = delete;
  PreparedTask& operator=(const PreparedTask&) = delete;

  /// Before the first submission: the task starts after these in every step.
  void start_after(std::span<starpu_task* const> predecessors);
  /// All tasks of the last step have ended.
  void submit();
  starpu_task* get() { return &task_; }
  /// Starts the kernels of a task that GPUs can run; without `buffers` on no data.
  void start_kernels(GpuQueue&, void** buffers = nullptr) const;

  /// Entry points of the codelet of such tasks.
  static void run(void** buffers, void* task) noexcept;
  static void run_on_gpu(void** buffers, void* task) noexcept;
  static std::uint32_t footprint(starpu_task*) noexcept;

 private:
  struct KernelRun {
    const Impl* impl;
    const Impl* gpu_impl;  // may be null
    const Attrs* attrs;
    const Signature* signature;
    std::vector<Tile> tiles;          // null data
    std::vector<std::size_t> buffer;  // of each tile: index into the task's buffers
  };
  /// One task's kernel calls, by one implementation each; data_of(i): where buffer i of the task lies.
  template <class DataOf>
  void run_calls(const Impl* KernelRun::*impl, void* stream, DataOf data_of) const;
  static void end_on_gpu(void* task) noexcept;
  void add_call(const TaskGraph&, const KernelCall&, std::span<const int> slots);
  void set_buffers(std::span<const int> slots, std::span<const Access>, const std::vector<BorrowedHandle>&);

  starpu_task task_;
  std::vector<KernelRun> calls_;
  int index_;
  std::uint32_t footprint_ = 0;
  bool on_gpu_ = false;  // the last time
  StepProgress& progress_;
  const Step& step_;
  const Session::State& session_;
};

}  // namespace pleiad
