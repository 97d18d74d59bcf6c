#include <algorithm>

#include "graph/index.hpp"
#include "graph/task_graph.hpp"

namespace pleiad {
namespace {

/// Tasks that used one piece of memory last.
struct Users {
  int writer = -1;
  std::vector<int> readers;  // since the writer
};

void add_edge(Edges& e, int from, int to) {
  auto& after = at(e.after, from);
  if (from == to || (!after.empty() && after.back() == to)) return;
  after.push_back(to);
  ++at(e.waits, to);
}

void use(Edges& e, Users& memory, int task, Access access) {
  if (memory.readers.empty() || access == Access::read) {
    if (memory.writer >= 0) add_edge(e, memory.writer, task);
  }
  if (access == Access::read) {
    if (memory.readers.empty() || memory.readers.back() != task) memory.readers.push_back(task);
    return;
  }
  for (int reader : memory.readers) add_edge(e, reader, task);
  memory = {.writer = task, .readers = {}};
}

}  // namespace

Edges edges_of(const TaskGraph& g) {
  Edges e{.after = std::vector<std::vector<int>>(g.tasks.size()), .waits = std::vector<int>(g.tasks.size())};
  std::vector<Users> memory(g.slots.size() + g.buffers.size());
  for (int i = 0; i < count(g.tasks); ++i)
    for (const KernelCall& call : at(g.tasks, i).calls)
      for (const Arg& a : call.args) {
        const int slot = at(g.buffers, a.buffer).slot;
        use(e, at(memory, slot >= 0 ? slot : count(g.slots) + a.buffer), i, a.access);
      }
  return e;
}

std::vector<Arg> accesses_of(const TaskGraph&, const Task& t) {
  std::vector<Arg> all;
  for (const KernelCall& call : t.calls)
    for (const Arg& a : call.args) {
      const auto known = std::find_if(all.begin(), all.end(), [&](const Arg& x) { return x.buffer == a.buffer; });
      if (known == all.end())
        all.push_back({.buffer = a.buffer, .access = a.access});
      else if (known->access == Access::read && a.access != Access::read)
        known->access = Access::update;
    }
  return all;
}

}  // namespace pleiad
