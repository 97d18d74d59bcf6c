#include "runtime/prepared_task.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

#include "codelets/base/denormals.hpp"
#include "graph/index.hpp"
#include "runtime/check.hpp"

namespace pleiad {
namespace {

constexpr std::size_t kMaxOperands = 16;

/// Slots that a task touches, each once: StarPU wants every handle once. Buffers that follow each other in one slot
/// inside a task count as one access.
struct SlotAccess {
  std::vector<int> slots;
  std::vector<Access> accesses;
};
SlotAccess slots_of(const TaskGraph& graph, const Task& task) {
  SlotAccess result;
  for (const Arg& arg : accesses_of(graph, task)) {
    const int slot = at(graph.buffers, arg.buffer).slot;
    const auto known = static_cast<std::size_t>(std::ranges::find(result.slots, slot) - result.slots.begin());
    if (known == result.slots.size()) {
      result.slots.push_back(slot);
      result.accesses.push_back(arg.access);
    } else if (result.accesses[known] == Access::read && arg.access != Access::read) {
      result.accesses[known] = Access::update;
    }
  }
  return result;
}

const Impl& implementation(const KernelCall& call) {
  const auto i = static_cast<std::size_t>(call.impl);
  if (call.impl < 0 || i >= call.op->impls.size() || call.op->impls[i].run == nullptr ||
      call.op->impls[i].device != Device::cpu)
    throw Error(Exit::internal, std::string(call.op->name) + ": the task graph asks for CPU implementation " +
                                    std::to_string(call.impl) + ", which is not there");
  return call.op->impls[i];
}

starpu_data_access_mode mode_of(Access a) {
  return a == Access::read ? STARPU_R : a == Access::write ? STARPU_W : STARPU_RW;
}

template <class T>
T* c_array(std::size_t n) {
  T* p = static_cast<T*>(std::calloc(n, sizeof *p));
  if (p == nullptr) throw Error(Exit::memory, "out of memory for task descriptions");
  return p;
}

}  // namespace

PreparedTask::PreparedTask(const TaskGraph& graph, int index, const std::vector<BorrowedHandle>& slots,
                           starpu_codelet* codelet, int priority, StepProgress& progress, const Step& step)
    : index_(index), progress_(progress), step_(step) {
  const Task& task = at(graph.tasks, index);
  const SlotAccess used = slots_of(graph, task);
  for (const KernelCall& call : task.calls) add_call(graph, call, used.slots);
  starpu_task_init(&task_);
  task_.cl = codelet;
  task_.cl_arg = this;
  task_.destroy = 0;
  task_.sequential_consistency = 0;  // start_after orders everything
  task_.priority = priority;
  set_buffers(used.slots, used.accesses, slots);
}

PreparedTask::~PreparedTask() { starpu_task_clean(&task_); }

void PreparedTask::add_call(const TaskGraph& graph, const KernelCall& call, std::span<const int> slots) {
  const Impl& impl = implementation(call);
  KernelRun run{&impl, &graph.attrs_of(call), &graph.signature_of(call), tiles_of(graph, call), {}};
  if (run.tiles.size() > kMaxOperands)
    throw Error(Exit::internal, std::string(call.op->name) + " has too many operands");
  for (const Arg& arg : call.args) {
    const int slot = at(graph.buffers, arg.buffer).slot;
    run.buffer.push_back(static_cast<std::size_t>(std::ranges::find(slots, slot) - slots.begin()));
  }
  calls_.push_back(std::move(run));
  const std::string key = kernel_key(graph, call) + " " + impl.name;
  footprint_ = starpu_hash_crc32c_be_n(key.data(), key.size(), footprint_);
}

void PreparedTask::set_buffers(std::span<const int> slots, std::span<const Access> accesses,
                               const std::vector<BorrowedHandle>& handles) {
  task_.nbuffers = static_cast<int>(slots.size());
  if (slots.size() > STARPU_NMAXBUFS) {
    task_.dyn_handles = c_array<starpu_data_handle_t>(slots.size());  // StarPU frees both
    task_.dyn_modes = c_array<starpu_data_access_mode>(slots.size());
  }
  auto* handle = task_.dyn_handles != nullptr ? task_.dyn_handles : task_.handles;
  auto* mode = task_.dyn_modes != nullptr ? task_.dyn_modes : task_.modes;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    handle[i] = at(handles, slots[i]).get();
    mode[i] = mode_of(accesses[i]);
  }
}

void PreparedTask::start_after(std::span<starpu_task* const> predecessors) {
  std::vector<starpu_task*> copy(predecessors.begin(), predecessors.end());
  starpu_task_declare_deps_array(&task_, static_cast<unsigned>(copy.size()), copy.data());
}

void PreparedTask::submit() {
  std::free(task_.dyn_interfaces);  // StarPU allocates it at every submission
  task_.dyn_interfaces = nullptr;
  check(starpu_task_submit(&task_), "starpu_task_submit");
}

void PreparedTask::run(void** buffers, void* argument) noexcept {
  PreparedTask& task = *static_cast<PreparedTask*>(argument);
  flush_denormals();
  task.progress_.start(task.index_, starpu_worker_get_id());
  for (const KernelRun& call : task.calls_) {
    std::array<Tile, kMaxOperands> tiles;
    for (std::size_t i = 0; i < call.tiles.size(); ++i) {
      tiles[i] = call.tiles[i];
      tiles[i].data = reinterpret_cast<void*>(STARPU_VARIABLE_GET_PTR(buffers[call.buffer[i]]));
    }
    call.impl->run({std::span(tiles.data(), call.tiles.size()), *call.attrs, *call.signature, task.step_});
  }
  task.progress_.end(task.index_);
}

std::uint32_t PreparedTask::footprint(starpu_task* task) noexcept {
  return static_cast<const PreparedTask*>(task->cl_arg)->footprint_;
}

}  // namespace pleiad
