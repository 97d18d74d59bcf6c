#include <algorithm>
#include <cstring>
#include <new>
#include <random>

#include "codelets/base/denormals.hpp"
#include "graph/executor.hpp"
#include "graph/index.hpp"

namespace pleiad {
namespace {

struct AlignedDelete {
  void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t{64}); }
};
using Block = std::unique_ptr<std::byte[], AlignedDelete>;

Block new_zeros(std::size_t bytes) {
  Block block(static_cast<std::byte*>(::operator new[](std::max<std::size_t>(bytes, 1), std::align_val_t{64})));
  std::memset(block.get(), 0, bytes);
  return block;
}

}  // namespace

struct SequentialExecutor::Memory {
  Memory(const Graph&, TaskGraph, std::optional<unsigned> order_seed);

  void* data(int buffer) const;
  /// All bits set: NaN in every numeric type, -1 in i32.
  void poison(int buffer) { std::memset(data(buffer), 0xff, at(tasks.buffers, buffer).bytes()); }
  void run(int task, const Step&);
  void run_in_random_order(const Step&);
  void check(Sym, std::size_t bytes) const;

  const Graph& graph;
  TaskGraph tasks;
  Edges edges;
  std::optional<unsigned> seed;
  std::vector<Block> blocks;    // by slot, then by buffer without a slot
  std::vector<int> users;       // by buffer: kernel calls that use it
  std::vector<int> users_left;  // in this step
};

SequentialExecutor::Memory::Memory(const Graph& g, TaskGraph t, std::optional<unsigned> order_seed)
    : graph(g), tasks(std::move(t)), edges(edges_of(tasks)), seed(order_seed), users(tasks.buffers.size()) {
  for (const Task& task : tasks.tasks)
    for (const KernelCall& call : task.calls)
      for (const Arg& a : call.args) ++at(users, a.buffer);
  for (const Slot& s : tasks.slots) blocks.push_back(new_zeros(s.bytes));
  for (int i = 0; i < count(tasks.buffers); ++i) {
    const Buffer& b = at(tasks.buffers, i);
    const bool own = b.slot < 0 && (b.keep || at(users, i) > 0);
    blocks.push_back(own ? new_zeros(b.bytes()) : nullptr);
  }
}

void* SequentialExecutor::Memory::data(int buffer) const {
  const int slot = at(tasks.buffers, buffer).slot;
  return at(blocks, slot >= 0 ? slot : count(tasks.slots) + buffer).get();
}

void SequentialExecutor::Memory::run(int task, const Step& step) {
  for (const KernelCall& call : at(tasks.tasks, task).calls) {
    auto tiles = tiles_of(tasks, call);
    for (std::size_t i = 0; i < tiles.size(); ++i) tiles[i].data = data(call.args[i].buffer);
    const Impl& impl = call.op->impls[static_cast<std::size_t>(call.impl)];
    impl.run({.tiles = tiles, .attrs = tasks.attrs_of(call), .signature = tasks.signature_of(call), .step = step});
    for (const Arg& a : call.args)
      if (--at(users_left, a.buffer) == 0 && !at(tasks.buffers, a.buffer).keep) poison(a.buffer);
  }
}

void SequentialExecutor::Memory::run_in_random_order(const Step& step) {
  std::mt19937 random(*seed + static_cast<unsigned>(step.number));
  auto waits = edges.waits;
  std::vector<int> ready;
  for (int i = 0; i < count(waits); ++i)
    if (at(waits, i) == 0) ready.push_back(i);
  while (!ready.empty()) {
    std::swap(ready[random() % ready.size()], ready.back());
    const int task = ready.back();
    ready.pop_back();
    run(task, step);
    for (int next : at(edges.after, task))
      if (--at(waits, next) == 0) ready.push_back(next);
  }
}

void SequentialExecutor::Memory::check(Sym s, std::size_t bytes) const {
  const Tensor& t = graph[s];
  const auto wanted = static_cast<std::size_t>(t.shape.volume()) * size_of(t.dtype);
  if (bytes != wanted)
    throw Error(Exit::internal,
                t.name + ": " + std::to_string(bytes) + " bytes given, " + std::to_string(wanted) + " needed");
  for (int b : at(tasks.tiles, s.id))
    if (!at(tasks.buffers, b).keep)
      throw Error(Exit::internal, t.name + " does not outlive the step; pass it to lower() as one to keep");
}

SequentialExecutor::SequentialExecutor(const Graph& graph, TaskGraph tasks, std::optional<unsigned> order_seed)
    : memory_(std::make_unique<Memory>(graph, std::move(tasks), order_seed)) {}
SequentialExecutor::~SequentialExecutor() = default;

void SequentialExecutor::write(Sym s, std::span<const std::byte> values) {
  memory_->check(s, values.size());
  for (int b : at(memory_->tasks.tiles, s.id)) copy_to_tile(at(memory_->tasks.buffers, b), values, memory_->data(b));
}

void SequentialExecutor::read(Sym s, std::span<std::byte> values) const {
  memory_->check(s, values.size());
  for (int b : at(memory_->tasks.tiles, s.id)) copy_from_tile(at(memory_->tasks.buffers, b), memory_->data(b), values);
}

void SequentialExecutor::step(const Step& step) {
  const FlushDenormals flush;
  Memory& m = *memory_;
  m.users_left = m.users;
  for (int b = 0; b < count(m.tasks.buffers); ++b)
    if (m.graph[at(m.tasks.buffers, b).tensor].kind == Kind::temp && at(m.users, b) > 0) m.poison(b);
  if (m.seed) return m.run_in_random_order(step);
  for (int i = 0; i < count(m.tasks.tasks); ++i) m.run(i, step);
}

}  // namespace pleiad
