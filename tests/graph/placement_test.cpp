#include <gtest/gtest.h>

#include "training.hpp"

namespace pleiad {
namespace {

using namespace pleiad::testing;

/// Four batch tiles, one on each of four ranks.
Plan data_parallel(GridAxis::Absent absent) {
  Plan p;
  p.numerics.cuts["batch"] = even_cut(12, 4, 4);
  p.placement.grid = {{.size = 4, .absent = absent}};
  p.placement.spread["batch"] = {.grid_axis = 0, .coordinate = {0, 1, 2, 3}};
  return p;
}

int owner(const Graph& g, const TaskGraph& t, const std::string& tensor) {
  for (int i = 0; i < count(g.tensors); ++i)
    if (at(g.tensors, i).name == tensor) return at(t.buffers, at(t.tiles, i)[0]).owner;
  ADD_FAILURE() << tensor;
  return -1;
}

TEST(Placement, BatchTilesRunWhereTheyLieAndTheFirstRankOwnsParameters) {
  const Model m = mlp({.batch = 12});
  const TaskGraph t = lowered(m, data_parallel(GridAxis::Absent::first));
  for (const Task& task : t.tasks) {
    const int rank = task.shard >= 0 ? task.shard : 0;
    EXPECT_EQ(task.rank, task.name() == "add" ? task.rank : rank) << task.name();
    for (const Arg& a : task.calls[0].args) {
      const bool partial_sum = at(t.buffers, a.buffer).lane >= 0 && task.shard >= 0;
      EXPECT_EQ(at(t.buffers, a.buffer).owner, partial_sum ? rank : at(t.buffers, a.buffer).owner);
    }
  }
}

TEST(Placement, AFamilySharesItsOwnerAndFamiliesAreSpreadEvenly) {
  const Model m = mlp({.batch = 12, .hidden = {16, 16, 16, 16, 16, 16}, .optimizer = {.grad_clip = 1}});
  const TaskGraph t = lowered(m, data_parallel(GridAxis::Absent::by_family));
  std::vector<std::size_t> bytes(4);
  for (const Tensor& p : m.graph().tensors) {
    if (p.kind != Kind::param) continue;
    const int rank = owner(m.graph(), t, p.name);
    bytes[static_cast<std::size_t>(rank)] += static_cast<std::size_t>(p.shape.volume());
    for (const char* state : {"exp_avg.", "exp_avg_sq."}) EXPECT_EQ(owner(m.graph(), t, state + p.name), rank);
  }
  EXPECT_LT(*std::max_element(bytes.begin(), bytes.end()), 2 * *std::min_element(bytes.begin(), bytes.end()) + 300);
  for (const Task& task : t.tasks) {
    if (task.name() != "adamw") continue;
    for (const Arg& a : task.calls[0].args) EXPECT_EQ(at(t.buffers, a.buffer).owner, task.rank);
  }
}

TEST(Placement, StagesLieOnTheirRankBlocks) {
  Model m;
  nn::Builder& b = m.builder;
  const Sym x = b.graph.tensor("x", {{"batch", 8}, {"in", 4}}, Kind::input, DType::f64);
  const Sym labels = b.graph.tensor("labels", {{"batch", 8}}, Kind::input, DType::i32);
  const Sym h = nn::linear(b, "first", x, {"hidden", 6}, nn::Activation::relu);
  b.graph.stage = 1;
  m.loss = nn::cross_entropy(b, nn::linear(b, "second", h, {"classes", 3}, nn::Activation::none), labels).loss;
  nn::optimize(b, m.loss, {});
  Plan p;
  p.numerics.cuts["batch"] = even_cut(8, 2, 1);
  p.placement.stage_rank = {0, 1};
  const TaskGraph t = lowered(m, p);
  EXPECT_EQ(owner(m.graph(), t, "first.weight"), 0);
  EXPECT_EQ(owner(m.graph(), t, "exp_avg.second.weight"), 1);
  for (const Task& task : t.tasks) {
    const int stage = at(m.graph().nodes, task.calls[0].node).stage;
    EXPECT_EQ(task.rank, stage) << to_text(m.graph(), t, task.calls[0]);
  }
}

}  // namespace
}  // namespace pleiad
