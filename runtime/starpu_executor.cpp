#include "runtime/starpu_executor.hpp"

#include <starpu.h>

#include <deque>

#include "graph/index.hpp"
#include "runtime/check.hpp"
#include "runtime/pool.hpp"
#include "runtime/prepared_task.hpp"
#include "runtime/priorities.hpp"
#include "runtime/session_state.hpp"
#include "runtime/step_progress.hpp"
#include "runtime/step_report.hpp"

namespace pleiad {
namespace {

/// Gives every buffer that is used or outlives the step a slot of its own if it has none.
TaskGraph with_slots(TaskGraph graph) {
  const auto give_slot = [&](Buffer& b) {
    if (b.slot >= 0) return;
    b.slot = count(graph.slots);
    graph.slots.push_back({b.bytes(), b.keep});
  };
  for (const Task& task : graph.tasks)
    for (const Arg& used : accesses_of(graph, task)) give_slot(at(graph.buffers, used.buffer));
  for (Buffer& b : graph.buffers)
    if (b.keep) give_slot(b);
  return graph;
}

std::size_t bytes_of(const std::vector<Slot>& slots) {
  std::size_t bytes = 0;
  for (const Slot& s : slots) bytes += Pool::rounded(s.bytes);
  return bytes;
}

std::vector<BorrowedHandle> register_slots(const std::vector<Slot>& slots, Pool& pool) {
  std::vector<BorrowedHandle> handles;
  handles.reserve(slots.size());
  for (const Slot& s : slots) handles.emplace_back(pool.take(s.bytes), s.bytes);
  return handles;
}

}  // namespace

struct StarpuExecutor::State {
  State(Session& the_session, const Graph& the_graph, TaskGraph the_tasks)
      : session(the_session),
        graph(the_graph),
        tasks(with_slots(std::move(the_tasks))),
        pool(bytes_of(tasks.slots)),
        slots(register_slots(tasks.slots, pool)),
        progress(edges_of(tasks), session.state().start, session.workers().size()) {
    prepare();
    compile_gpu_kernels();
  }

  void prepare() {
    const std::vector<int> priorities = scheduler_priorities(tasks, session.policy());
    for (int t = 0; t < count(tasks.tasks); ++t)
      prepared.emplace_back(tasks, t, slots, codelet(at(tasks.tasks, t).name()), at(priorities, t), progress, step,
                            session.state());
    std::vector<std::vector<starpu_task*>> before(prepared.size());
    for (std::size_t t = 0; t < prepared.size(); ++t)
      for (int next : progress.edges().after[t]) at(before, next).push_back(prepared[t].get());
    for (std::size_t t = 0; t < prepared.size(); ++t) prepared[t].start_after(before[t]);
  }

  /// So that no task waits for a compiler.
  void compile_gpu_kernels() {
    for (const auto& queue : session.state().queues) {
      if (!queue) continue;
      CompilingQueue compiler(*queue);
      for (const PreparedTask& t : prepared) t.start_kernels(compiler);
    }
  }

  starpu_codelet* codelet(const std::string& name) {
    auto& all = session.state().codelets;
    const auto [found, added] = all.try_emplace(Codelet::symbol_of(name), name, PreparedTask::run,
                                                PreparedTask::run_on_gpu, PreparedTask::footprint);
    return found->second.get();
  }

  /// Tiles of a tensor that lives between steps.
  const std::vector<int>& kept_tiles(const char* verb, Sym s, std::size_t bytes) const {
    const Tensor& t = graph[s];
    const std::vector<int>& tiles = at(tasks.tiles, s.id);
    if (tiles.empty() || !at(tasks.buffers, tiles[0]).keep)
      throw Error(Exit::internal, std::string(verb) + " " + t.name +
                                      ": it does not outlive the step; pass it to lower() as one to keep");
    const std::size_t whole = static_cast<std::size_t>(t.shape.volume()) * size_of(t.dtype);
    if (bytes != whole)
      throw Error(Exit::internal, std::string(verb) + " " + t.name + ": " + std::to_string(bytes) + " bytes given, " +
                                      std::to_string(whole) + " needed");
    return tiles;
  }

  /// Calls use(buffer, its memory) for each tile.
  template <class F>
  void for_each_tile(const std::vector<int>& tiles, Access access, F use) const {
    for (int tile : tiles) {
      const Buffer& b = at(tasks.buffers, tile);
      const HostLock lock(at(slots, b.slot).get(), access);
      use(b, lock.data());
    }
  }

  void run() {
    session.resume();
    wait_for_workers();
    progress.begin();
    session.state().take_traffic();  // of writes and reads since the last step
    begin_us = progress.now_us();
    for (PreparedTask& t : prepared) t.submit();
    submitted_us = progress.now_us();
    if (!progress.wait(session.state().stall_seconds)) stall();
    end_us = progress.now_us();
    traffic = session.state().take_traffic();
    reported = false;
  }

  /// Kernels have ended, but StarPU may still be busy with the last task.
  static void wait_for_workers() {
    if (starpu_task_nsubmitted() > 0) check(starpu_task_wait_for_all(), "starpu_task_wait_for_all");
  }

  [[noreturn]] void stall() {
    session.state().stalled = true;
    throw Error(Exit::stalled, progress.stall_reason(tasks, session.workers(), session.state().stall_seconds));
  }

  void make_report() {
    const std::size_t workers = session.workers().size();
    report.step_us = end_us - begin_us;
    report.submit_us = submitted_us - begin_us;
    report.busy_us = busy_us(progress.records(), workers);
    report.tasks_done = tasks_done(progress.records(), workers);
    report.moved_bytes = traffic.total;
    report.in_bytes = traffic.in;
    report.out_bytes = traffic.out;
    report.overhead_us = overhead_us(progress.records(), progress.edges(), begin_us, end_us, workers);
    report.tasks = timeline ? progress.records() : std::vector<TaskRecord>{};
    reported = true;
  }

  Session& session;
  const Graph& graph;
  TaskGraph tasks;
  Pool pool;
  std::vector<BorrowedHandle> slots;
  StepProgress progress;
  Step step;
  std::deque<PreparedTask> prepared;
  double begin_us = 0, submitted_us = 0, end_us = 0;
  bool timeline = false, reported = true;
  Session::State::Traffic traffic;
  StepReport report;
};

StarpuExecutor::StarpuExecutor(Session& session, const Graph& graph, TaskGraph tasks)
    : state_(std::make_unique<State>(session, graph, std::move(tasks))) {}

StarpuExecutor::~StarpuExecutor() {
  if (state_->session.state().stalled)
    static_cast<void>(state_.release());
  else
    State::wait_for_workers();
}

void StarpuExecutor::write(Sym s, std::span<const std::byte> values) {
  state_->session.resume();
  state_->for_each_tile(state_->kept_tiles("write", s, values.size()), Access::write,
                        [&](const Buffer& b, void* tile) { copy_to_tile(b, values, tile); });
}

void StarpuExecutor::read(Sym s, std::span<std::byte> values) const {
  state_->session.resume();
  state_->for_each_tile(state_->kept_tiles("read", s, values.size()), Access::read,
                        [&](const Buffer& b, const void* tile) { copy_from_tile(b, tile, values); });
}

void StarpuExecutor::step(const Step& step) {
  state_->step = step;
  state_->run();
}

const StepReport& StarpuExecutor::last_step() const {
  if (!state_->reported) state_->make_report();
  return state_->report;
}

void StarpuExecutor::keep_timeline(bool on) { state_->timeline = on; }
std::size_t StarpuExecutor::pool_bytes() const { return state_->pool.bytes(); }

}  // namespace pleiad
