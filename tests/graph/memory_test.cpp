#include <gtest/gtest.h>

#include <algorithm>

#include "training.hpp"

#include "codelets/ops/add.hpp"
#include "codelets/ops/fill.hpp"

namespace pleiad {
namespace {

using namespace pleiad::testing;

/// [a][b]: task b depends on task a, directly or not.
std::vector<std::vector<bool>> reachable(const TaskGraph& g) {
  const Edges edges = edges_of(g);
  std::vector<std::vector<bool>> before(g.tasks.size(), std::vector<bool>(g.tasks.size()));
  for (std::size_t a = g.tasks.size(); a-- > 0;)
    for (int next : edges.after[a]) {
      const auto b = static_cast<std::size_t>(next);
      before[a][b] = true;
      for (std::size_t c = 0; c < before.size(); ++c) before[a][c] = before[a][c] || before[b][c];
    }
  return before;
}

std::vector<std::vector<std::size_t>> users_of(const TaskGraph& g) {
  std::vector<std::vector<std::size_t>> users(g.buffers.size());
  for (std::size_t i = 0; i < g.tasks.size(); ++i)
    for (const Arg& a : accesses_of(g, g.tasks[i])) at(users, a.buffer).push_back(i);
  return users;
}

std::vector<Model> models() {
  std::vector<Model> all;
  all.push_back(contractions());
  all.push_back(mlp({.activation = nn::Activation::silu, .dropout = 0.2, .optimizer = {.grad_clip = 1}}));
  return all;
}

/// Random plans on one or several ranks, some with fused tasks.
template <class F>
void each_task_graph(F f) {
  std::mt19937 random(21);
  for (const Model& m : models())
    for (int i = 0; i < 15; ++i) {
      Plan p = random_plan(unify(m.graph()), random, 1 + i % 4);
      if (i % 3 == 2) place_at_random(p, random);
      TaskGraph g = lowered(m, p);
      predict_at_random(g, random);
      if (i % 2) fuse(g, 60);
      f(m, g);
    }
}

TEST(Liveness, IsExact) {
  each_task_graph([](const Model&, const TaskGraph& g) {
    const auto users = users_of(g);
    for (std::size_t b = 0; b < g.buffers.size(); ++b) {
      EXPECT_EQ(g.buffers[b].first_use, users[b].empty() ? -1 : static_cast<int>(users[b].front()));
      EXPECT_EQ(g.buffers[b].last_use, users[b].empty() ? -1 : static_cast<int>(users[b].back()));
    }
  });
}

TEST(Liveness, PeakBytesAreThoseOfBruteForce) {
  each_task_graph([](const Model&, const TaskGraph& g) {
    int ranks = 1;
    for (const Task& t : g.tasks) ranks = std::max(ranks, t.rank + 1);
    for (const Buffer& b : g.buffers) ranks = std::max(ranks, b.owner + 1);
    std::vector<std::size_t> peak(static_cast<std::size_t>(ranks));
    const auto users = users_of(g);
    for (int r = 0; r < ranks; ++r)
      for (int i = 0; i < count(g.tasks); ++i) {
        std::size_t alive = 0;
        for (std::size_t b = 0; b < g.buffers.size(); ++b) {
          const Buffer& buffer = g.buffers[b];
          const auto first =
              std::find_if(users[b].begin(), users[b].end(), [&](std::size_t t) { return g.tasks[t].rank == r; });
          const bool copied = first != users[b].end() && static_cast<int>(*first) <= i && i <= buffer.last_use;
          if (copied || (buffer.keep && buffer.owner == r)) alive += buffer.bytes();
        }
        at(peak, r) = std::max(at(peak, r), alive);
      }
    EXPECT_EQ(peak_bytes(g, ranks), peak);
  });
}

TEST(Slots, AreSharedOnlyByOrderedBuffersAndAddNoDependency) {
  each_task_graph([](const Model&, TaskGraph g) {
    const auto before = reachable(g);
    assign_slots(g);
    EXPECT_EQ(reachable(g), before);
    const auto users = users_of(g);
    for (std::size_t a = 0; a < g.buffers.size(); ++a) {
      const Buffer& x = g.buffers[a];
      EXPECT_EQ(x.slot >= 0, x.keep || !users[a].empty());
      if (x.slot < 0) continue;
      EXPECT_GE(at(g.slots, x.slot).bytes, x.bytes());
      EXPECT_EQ(at(g.slots, x.slot).keep, x.keep);
      for (std::size_t b = 0; b < a; ++b) {
        if (g.buffers[b].slot != x.slot) continue;
        const auto ordered = [&](std::size_t i, std::size_t j) {
          for (std::size_t u : users[i])
            for (std::size_t v : users[j])
              if (!before[u][v]) return false;
          return true;
        };
        EXPECT_TRUE(!x.keep && (ordered(a, b) || ordered(b, a)));
      }
    }
  });
}

TEST(Slots, OfAChainAreFew) {
  Graph g;
  Sym x = g.tensor("x", {{"n", 1000}}, Kind::input, DType::f64);
  for (int i = 0; i < 50; ++i) x = g.one(gelu, {x});
  TaskGraph t = lower(g, unify(g), {}, std::vector<Sym>{x});
  assign_slots(t);
  EXPECT_EQ(t.slots.size(), 4u);  // the input, the result that is kept, and two between them
}

TEST(Slots, OfADeepModelTakeMuchLessThanItsBuffers) {
  const Model m =
      mlp({.batch = 64, .hidden = std::vector<Index>(40, 16), .optimizer = {.kind = nn::OptimizerKind::sgd}});
  Plan p;
  p.numerics.cuts["batch"] = even_cut(64, 4, 1);
  TaskGraph g = lowered(m, p);
  for (Task& t : g.tasks) t.calls[0].predicted_us = 20;
  fuse(g, 50);
  assign_slots(g);
  std::size_t buffers = 0, slots = 0;
  for (const Buffer& b : g.buffers) buffers += b.keep || b.first_use < 0 ? 0 : b.bytes();
  for (const Slot& s : g.slots) slots += s.keep ? 0 : s.bytes;
  EXPECT_LT(static_cast<double>(slots), 0.6 * static_cast<double>(buffers));
}

TEST(Accesses, OfATaskAreThoseOfAllItsCalls) {
  Graph g;
  const Sym x = g.tensor("x", {{"n", 4}}, Kind::input, DType::f64);
  const Sym y = g.one(add, {x, x});
  g.call_into(gelu, {x}, {y});
  const TaskGraph t = lower(g, unify(g), {}, std::vector<Sym>{y});
  Task both;
  for (const Task& task : t.tasks) both.calls.push_back(task.calls[0]);
  const auto accesses = accesses_of(t, both);
  ASSERT_EQ(accesses.size(), 2u);
  EXPECT_EQ(accesses[0].access, Access::read);
  EXPECT_EQ(accesses[1].access, Access::write);  // written by the first call, though the second one adds to it
}

}  // namespace
}  // namespace pleiad
