#include <array>
#include <cstdio>
#include <limits>

#include "graph/planner.hpp"

namespace pleiad {
namespace {

/// "61.3 GiB", "11 MiB": three digits at least where the unit allows.
std::string size_text(std::size_t bytes) {
  const bool large = bytes >= std::size_t{1} << 30;
  const double size = static_cast<double>(bytes) / (large ? 1073741824.0 : 1048576.0);
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), large || size < 10 ? "%.1f %s" : "%.0f %s", size, large ? "GiB" : "MiB");
  return text.data();
}

}  // namespace

MemoryNeed memory_need(const Graph& graph, const TaskGraph& tasks) {
  MemoryNeed need;
  std::size_t total = 0;
  for (const Slot& s : tasks.slots) total += s.bytes;
  for (const Buffer& b : tasks.buffers) {
    const Kind kind = graph[b.tensor].kind;
    if (b.slot >= 0 && b.lane < 0 && (kind == Kind::param || kind == Kind::state)) need.parameters_bytes += b.bytes();
  }
  need.activations_bytes = total - need.parameters_bytes;
  return need;
}

std::size_t usable_bytes(const Machine& m, double share) {
  if (m.memories.empty()) return std::numeric_limits<std::size_t>::max();
  return static_cast<std::size_t>(share * static_cast<double>(m.memories[0].usable_bytes()));
}

void check_memory(const MemoryNeed& need, const Machine& m, double share, Index fitting_batch) {
  const std::size_t usable = usable_bytes(m, share);
  if (need.total_bytes() <= usable) return;
  const Memory& memory = m.memories[0];
  std::string advice = "a smaller --train.batch needs less";
  if (fitting_batch > 0) advice = "fits: --train.batch " + std::to_string(fitting_batch);
  if (fitting_batch == 0) advice = "no batch fits: a smaller model, or a machine with more memory";
  throw Error(Exit::memory, "no plan fits: needs " + size_text(need.total_bytes()) + " on " + memory.name + " (" +
                                size_text(memory.bytes) + ", " + size_text(usable) + " usable)\nactivations " +
                                size_text(need.activations_bytes) + " · weights+optimizer " +
                                size_text(need.parameters_bytes) + "\n" + advice);
}

Index largest_batch(std::size_t bytes, Index below, const std::function<std::size_t(Index)>& need_bytes) {
  Index fits = 0, fails = below;
  while (fails - fits > 1) {
    const Index middle = fits + (fails - fits) / 2;
    (need_bytes(middle) <= bytes ? fits : fails) = middle;
  }
  return fits;
}

}  // namespace pleiad
