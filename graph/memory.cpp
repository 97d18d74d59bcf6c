#include <algorithm>
#include <limits>
#include <map>

#include "graph/index.hpp"
#include "graph/order.hpp"
#include "graph/task_graph.hpp"

namespace pleiad {
namespace {

/// For each task the set of tasks it depends on, directly or not, as bits.
class Ancestors {
 public:
  explicit Ancestors(const TaskGraph& g) : words_((g.tasks.size() + 63) / 64), bits_(g.tasks.size() * words_) {
    const Edges edges = edges_of(g);
    for (int i = 0; i < count(g.tasks); ++i)
      for (int next : at(edges.after, i)) inherit(next, i);
  }
  bool depends(int task, int on) const { return (row(task)[on / 64] >> (on % 64)) & 1; }

 private:
  std::uint64_t* row(int task) { return bits_.data() + static_cast<std::size_t>(task) * words_; }
  const std::uint64_t* row(int task) const { return bits_.data() + static_cast<std::size_t>(task) * words_; }
  /// `from` comes earlier in recorded order, so its own set is complete.
  void inherit(int task, int from) {
    std::uint64_t *to = row(task), *own = row(from);
    const auto words = static_cast<std::size_t>(from / 64) + 1;
    for (std::size_t w = 0; w < words; ++w) to[w] |= own[w];
    to[from / 64] |= std::uint64_t{1} << (from % 64);
  }

  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

/// Where and by whom a buffer is used.
struct Use {
  std::vector<int> last;  // the last writer and those that read what it wrote
  int rank = -1;          // the only rank that uses it; -1: several do
};

std::vector<Use> uses_of(const TaskGraph& g) {
  std::vector<Use> uses(g.buffers.size());
  for (int i = 0; i < count(g.tasks); ++i) {
    const Task& t = at(g.tasks, i);
    for (const Arg& a : accesses_of(g, t)) {
      Use& u = at(uses, a.buffer);
      if (at(g.buffers, a.buffer).first_use == i) u.rank = t.rank;
      if (u.rank != t.rank) u.rank = -1;
      if (a.access != Access::read) u.last.clear();
      u.last.push_back(i);
    }
  }
  return uses;
}

/// Gives buffers slots, in the order of their first use.
class Slots {
 public:
  explicit Slots(TaskGraph& g) : graph_(g), ancestors_(g), uses_(uses_of(g)) {}

  void own(int buffer) {
    Buffer& b = at(graph_.buffers, buffer);
    b.slot = count(graph_.slots);
    graph_.slots.push_back({.bytes = b.bytes(), .keep = b.keep});
  }
  void share(int buffer);

 private:
  /// Slots that nobody uses any more as far as recorded order goes: size and minus the last use -> the last buffer.
  using Free = std::multimap<std::pair<std::size_t, int>, int>;
  struct Rank {
    Free free;
    std::multimap<int, int> in_use;  // last use -> buffer
  };
  void release_before(int task, Rank&);
  Free::iterator find(Free&, int buffer);
  /// All users of a buffer follow its first writer, so it is enough that this one follows the last users of the slot.
  bool follows(int buffer, int earlier) const {
    const int first = at(graph_.buffers, buffer).first_use;
    return std::all_of(at(uses_, earlier).last.begin(), at(uses_, earlier).last.end(),
                       [&](int user) { return ancestors_.depends(first, user); });
  }

  TaskGraph& graph_;
  Ancestors ancestors_;
  std::vector<Use> uses_;
  std::map<int, Rank> ranks_;
};

/// Frees the slots whose users all come before a task.
void Slots::release_before(int task, Rank& rank) {
  const auto end = rank.in_use.lower_bound(task);
  for (auto it = rank.in_use.begin(); it != end; ++it)
    rank.free.emplace(std::pair{at(graph_.slots, at(graph_.buffers, it->second).slot).bytes, -it->first}, it->second);
  rank.in_use.erase(rank.in_use.begin(), end);
}

/// The smallest slot that is large enough, else the largest of the others; of equal ones the one freed last, which is
/// most likely an ancestor. Tries are limited, so that time stays linear.
Slots::Free::iterator Slots::find(Free& slots, int buffer) {
  constexpr int kTries = 512;
  const auto large_enough = slots.lower_bound({at(graph_.buffers, buffer).bytes(), std::numeric_limits<int>::min()});
  int tries = 0;
  for (auto it = large_enough; it != slots.end() && tries < kTries; ++it, ++tries)
    if (follows(buffer, it->second)) return it;
  tries = 0;
  for (auto it = large_enough; it != slots.begin() && tries < kTries; ++tries)
    if (follows(buffer, (--it)->second)) return it;
  return slots.end();
}

void Slots::share(int buffer) {
  const int rank = at(uses_, buffer).rank;
  if (rank < 0) return own(buffer);
  Rank& memory = ranks_[rank];
  Buffer& b = at(graph_.buffers, buffer);
  release_before(b.first_use, memory);
  if (const auto it = find(memory.free, buffer); it != memory.free.end()) {
    b.slot = at(graph_.buffers, it->second).slot;
    memory.free.erase(it);
    Slot& slot = at(graph_.slots, b.slot);
    slot.bytes = std::max(slot.bytes, b.bytes());
  } else {
    own(buffer);
  }
  memory.in_use.emplace(b.last_use, buffer);
}

std::vector<int> in_order_of_first_use(const TaskGraph& g) {
  std::vector<int> used;
  for (int b = 0; b < count(g.buffers); ++b)
    if (!at(g.buffers, b).keep && at(g.buffers, b).first_use >= 0) used.push_back(b);
  std::stable_sort(used.begin(), used.end(),
                   [&](int a, int b) { return at(g.buffers, a).first_use < at(g.buffers, b).first_use; });
  return used;
}

}  // namespace

void assign_slots(TaskGraph& g) {
  g.slots.clear();
  for (Buffer& b : g.buffers) b.slot = -1;
  set_liveness(g);
  Slots slots(g);
  for (int b = 0; b < count(g.buffers); ++b)
    if (at(g.buffers, b).keep) slots.own(b);
  for (int b : in_order_of_first_use(g)) slots.share(b);
}

std::vector<std::size_t> peak_bytes(const TaskGraph& g, int ranks) {
  std::vector<std::size_t> now(static_cast<std::size_t>(ranks)), peak;
  std::vector<std::vector<int>> holders(g.buffers.size());  // ranks with a copy
  const auto hold = [&](int b, int rank) {
    auto& all = at(holders, b);
    if (std::find(all.begin(), all.end(), rank) != all.end()) return;
    all.push_back(rank);
    at(now, rank) += at(g.buffers, b).bytes();
  };
  for (int b = 0; b < count(g.buffers); ++b)
    if (at(g.buffers, b).keep) hold(b, at(g.buffers, b).owner);
  peak = now;
  for (int i = 0; i < count(g.tasks); ++i) {
    const auto accesses = accesses_of(g, at(g.tasks, i));
    for (const Arg& a : accesses) hold(a.buffer, at(g.tasks, i).rank);
    for (std::size_t r = 0; r < peak.size(); ++r) peak[r] = std::max(peak[r], now[r]);
    for (const Arg& a : accesses) {
      const Buffer& b = at(g.buffers, a.buffer);
      if (b.last_use != i) continue;
      std::erase_if(at(holders, a.buffer), [&](int rank) {
        if (b.keep && rank == b.owner) return false;
        at(now, rank) -= b.bytes();
        return true;
      });
    }
  }
  return peak;
}

}  // namespace pleiad
