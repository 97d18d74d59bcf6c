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

const Impl* implementation(const KernelCall& call, int impl, Device device) {
  const auto i = static_cast<std::size_t>(impl);
  if (impl < 0 || i >= call.op->impls.size() || call.op->impls[i].run == nullptr || call.op->impls[i].device != device)
    throw Error(Exit::internal, std::string(call.op->name) + ": the task graph asks for implementation " +
                                    std::to_string(impl) + ", which is not there or for another kind of device");
  return &call.op->impls[i];
}

/// Whether a GPU's memory has room for the slots of a task while it still holds those of another: StarPU starts the
/// next one early.
bool fits_memory(const TaskGraph& graph, const std::vector<int>& slots, std::size_t bytes) {
  std::size_t needed = 0;
  for (int slot : slots) needed += at(graph.slots, slot).bytes;
  return bytes == 0 || 2 * needed <= bytes;
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
                           starpu_codelet* codelet, int priority, StepProgress& progress, const Step& step,
                           const Session::State& session)
    : index_(index), progress_(progress), step_(step), session_(session) {
  const Task& task = at(graph.tasks, index);
  const SlotAccess used = slots_of(graph, task);
  for (const KernelCall& call : task.calls) add_call(graph, call, used.slots);
  starpu_task_init(&task_);
  task_.cl = codelet;
  task_.cl_arg = this;
  task_.destroy = 0;
  task_.sequential_consistency = 0;  // start_after orders everything
  task_.priority = priority;
  task_.epilogue_callback_func = &PreparedTask::end_on_gpu;
  task_.epilogue_callback_arg = this;
  const bool on_gpus = task.runs_on_gpus() && fits_memory(graph, used.slots, session.gpu_memory_bytes);
  task_.where = STARPU_CPU | (on_gpus ? STARPU_CUDA | STARPU_OPENCL : 0);
  set_buffers(used.slots, used.accesses, slots);
}

PreparedTask::~PreparedTask() { starpu_task_clean(&task_); }

void PreparedTask::add_call(const TaskGraph& graph, const KernelCall& call, std::span<const int> slots) {
  const Impl* impl = implementation(call, call.impl, Device::cpu);
  const Impl* gpu_impl = call.gpu_impl < 0 ? nullptr : implementation(call, call.gpu_impl, Device::gpu);
  KernelRun run{impl, gpu_impl, &graph.attrs_of(call), &graph.signature_of(call), tiles_of(graph, call), {}};
  if (run.tiles.size() > kMaxOperands)
    throw Error(Exit::internal, std::string(call.op->name) + " has too many operands");
  for (const Arg& arg : call.args) {
    const int slot = at(graph.buffers, arg.buffer).slot;
    run.buffer.push_back(static_cast<std::size_t>(std::ranges::find(slots, slot) - slots.begin()));
  }
  calls_.push_back(std::move(run));
  std::string key = kernel_key(graph, call) + " " + impl->name;
  if (gpu_impl != nullptr) key.append(" ").append(gpu_impl->name);
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
  on_gpu_ = false;
  check(starpu_task_submit(&task_), "starpu_task_submit");
}

template <class DataOf>
void PreparedTask::run_calls(const Impl* KernelRun::*impl, void* stream, DataOf data_of) const {
  for (const KernelRun& call : calls_) {
    std::array<Tile, kMaxOperands> tiles;
    for (std::size_t i = 0; i < call.tiles.size(); ++i) {
      tiles[i] = call.tiles[i];
      tiles[i].data = data_of(call.buffer[i]);
    }
    (call.*impl)->run({std::span(tiles.data(), call.tiles.size()), *call.attrs, *call.signature, step_, stream});
  }
}

void PreparedTask::run(void** buffers, void* argument) noexcept {
  PreparedTask& task = *static_cast<PreparedTask*>(argument);
  flush_denormals();
  task.progress_.start(task.index_, starpu_worker_get_id());
  task.run_calls(&KernelRun::impl, nullptr,
                 [&](std::size_t i) { return reinterpret_cast<void*>(STARPU_VARIABLE_GET_PTR(buffers[i])); });
  task.progress_.end(task.index_);
}

void PreparedTask::start_kernels(GpuQueue& queue, void** buffers) const {
  if ((task_.where & (STARPU_CUDA | STARPU_OPENCL)) == 0) return;
  run_calls(&KernelRun::gpu_impl, &queue, [&](std::size_t i) {
    return buffers == nullptr ? nullptr : reinterpret_cast<void*>(STARPU_VARIABLE_GET_DEV_HANDLE(buffers[i]));
  });
}

void PreparedTask::run_on_gpu(void** buffers, void* argument) noexcept {
  PreparedTask& task = *static_cast<PreparedTask*>(argument);
  const int worker = starpu_worker_get_id();
  task.on_gpu_ = true;
  task.progress_.start(task.index_, worker);
  task.start_kernels(*at(task.session_.queues, worker), buffers);
}

void PreparedTask::end_on_gpu(void* argument) noexcept {
  PreparedTask& task = *static_cast<PreparedTask*>(argument);
  if (task.on_gpu_) task.progress_.end(task.index_);
}

std::uint32_t PreparedTask::footprint(starpu_task* task) noexcept {
  return static_cast<const PreparedTask*>(task->cl_arg)->footprint_;
}

}  // namespace pleiad
