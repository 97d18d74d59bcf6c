#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>

#include "expect_error.hpp"
#include "local_ops.hpp"
#include "training.hpp"

#include "codelets/ops/add.hpp"
#include "codelets/ops/retile.hpp"
#include "codelets/ops/sgd.hpp"
#include "codelets/ops/sum_squares.hpp"

namespace pleiad {
namespace {

using namespace pleiad::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Kernel calls as text, without what stands around them.
std::vector<std::string> calls(const Graph& g, const TaskGraph& t) {
  std::vector<std::string> lines;
  for (const Task& task : t.tasks)
    for (const KernelCall& c : task.calls) lines.push_back(to_text(g, t, c));
  return lines;
}

TaskGraph lowered(const Graph& g, const Plan& p, std::vector<Sym> keep = {}) { return lower(g, unify(g), p, keep); }

/// y[a] = sum of x[a, b] over b.
struct RowSums {
  Graph graph;
  Sym x = graph.tensor("x", {{"a", 4}, {"b", 12}}, Kind::input, DType::f64);
  Sym y = graph.one(einsum, {x}, einsum_attrs("ab->a"));

  Numbers run(const Plan& p) const {
    SequentialExecutor e(graph, lowered(graph, p, {y}));
    std::mt19937 random(1);
    e.write(x, to_bytes(normal(48, random), DType::f64));
    e.step({});
    return read(e, graph, y);
  }
  std::vector<std::string> text(const Cut& b) const {
    Plan p;
    p.numerics.cuts["b"] = b;
    EXPECT_LT(distance(run(p), run({})), 1e-13);
    return calls(graph, lowered(graph, p, {y}));
  }
};

TEST(Lower, WithoutCutsOneCallANode) {
  EXPECT_THAT(RowSums().text(even_cut(12, 1, 1)), ElementsAre("einsum x =einsum"));
}

TEST(Lower, TheFirstContributionOverwritesTheOthersAccumulate) {
  EXPECT_THAT(RowSums().text(even_cut(12, 3, 1)),
              ElementsAre("einsum x[0:4,0:4] =einsum", "einsum x[0:4,4:8] +einsum", "einsum x[0:4,8:12] +einsum"));
}

TEST(Lower, LanesAreChainsThatAreMergedAtTheEnd) {
  EXPECT_THAT(RowSums().text(even_cut(12, 4, 2)),
              ElementsAre("einsum x[0:4,0:3] =einsum~0", "einsum x[0:4,3:6] +einsum~0", "einsum x[0:4,6:9] =einsum~1",
                          "einsum x[0:4,9:12] +einsum~1", "add einsum~0 einsum~1 =einsum"));
}

TEST(Lower, TheTreeOverLanesIsBinaryAndItsLastStepWritesTheTile) {
  const auto text = RowSums().text(even_cut(12, 5, 5));
  ASSERT_EQ(text.size(), 9u);
  EXPECT_THAT(std::vector(text.begin() + 5, text.end()),
              ElementsAre("add einsum~0 einsum~1 =einsum~0", "add einsum~2 einsum~3 =einsum~2",
                          "add einsum~0 einsum~2 =einsum~0", "add einsum~0 einsum~4 =einsum"));
}

TEST(Lower, TheLaneOverTwoReducedAxesCombinesBoth) {
  Graph g;
  const Sym x = g.tensor("x", {{"a", 4}, {"b", 4}}, Kind::input, DType::f64);
  const Sym y = g.one(einsum, {x}, einsum_attrs("ab->"));
  Plan p;
  p.numerics.cuts["a"] = even_cut(4, 2, 2);
  p.numerics.cuts["b"] = even_cut(4, 2, 2);
  EXPECT_THAT(calls(g, lowered(g, p, {y})),
              ElementsAre("einsum x[0:2,0:2] =einsum~0", "einsum x[0:2,2:4] =einsum~1", "einsum x[2:4,0:2] =einsum~2",
                          "einsum x[2:4,2:4] =einsum~3", "add einsum~0 einsum~1 =einsum~0",
                          "add einsum~2 einsum~3 =einsum~2", "add einsum~0 einsum~2 =einsum"));
}

TEST(Lower, AnUpdateIsInPlace) {
  Graph g;
  const Sym p = g.tensor("p", {{"n", 6}}, Kind::param, DType::f64),
            d = g.tensor("d", {{"n", 6}}, Kind::input, DType::f64);
  g.call(sgd, {p, d}, Attrs::of(SgdAttrs{}));
  Plan plan;
  plan.numerics.cuts["n"] = cut_of_sizes({4, 2}, 1);
  const TaskGraph t = lowered(g, plan);
  EXPECT_THAT(calls(g, t), ElementsAre("sgd &p[0:4] d[0:4]", "sgd &p[4:6] d[4:6]"));
  EXPECT_FALSE(t.tasks[0].calls[0].args[0].accumulate);
}

TEST(Lower, SeveralNodesMayContributeToOneTensor) {
  Graph g;
  const Sym x = g.tensor("x", {{"n", 4}}, Kind::input, DType::f64),
            z = g.tensor("z", {{"m", 4}}, Kind::input, DType::f64);
  const Sym y = g.one(sum_squares, {x});
  g.call_into(sum_squares, {z}, {y});
  Plan p;
  p.numerics.cuts["m"] = even_cut(4, 2, 2);
  EXPECT_THAT(calls(g, lowered(g, p, {y})),
              ::testing::UnorderedElementsAre("sum_squares x =sum_squares~0", "sum_squares z[0:2] +sum_squares~0",
                                              "sum_squares z[2:4] =sum_squares~1",
                                              "add sum_squares~0 sum_squares~1 =sum_squares"));
}

TEST(Lower, OutputsWithACombiningOpMergeJointly) {
  Graph g;
  const Sym x = g.tensor("x", {{"r", 3}, {"c", 8}}, Kind::input, DType::f64);
  const auto y = g.call(log_sum, {x});
  const auto run = [&](const Plan& p) {
    SequentialExecutor e(g, lowered(g, p, y));
    std::mt19937 random(2);
    e.write(x, to_bytes(normal(24, random, 3), DType::f64));
    e.step({});
    Numbers all = read(e, g, y[0]);
    for (double v : read(e, g, y[1])) all.push_back(v);
    return all;
  };
  Plan p;
  p.numerics.cuts["c"] = even_cut(8, 4, 3);
  EXPECT_LT(distance(run({}), run(p)), 1e-12);
  EXPECT_THAT(calls(g, lowered(g, p, y)).back(),
              "merge_log_sums log_sum.top~0 log_sum.sum~0 log_sum.top~2 log_sum.sum~2 =log_sum.top =log_sum.sum");
}

TEST(Lower, EmptyTilesAreSkippedAndUntouchedTilesAreFilled) {
  Graph g;
  const Sym a = g.tensor("a", {{"t", 12}, {"s", 12}}, Kind::input, DType::f64);
  const Sym y = g.one(past, {a});
  Plan p;
  p.numerics.cuts["t"] = even_cut(12, 3, 1);
  p.numerics.cuts["s"] = even_cut(12, 3, 1);
  EXPECT_THAT(calls(g, lowered(g, p, {y})),
              ::testing::UnorderedElementsAre("fill =past[0:4]", "past a[4:8,0:4] =past[4:8]",
                                              "past a[8:12,0:4] =past[8:12]", "past a[8:12,4:8] +past[8:12]"));
  SequentialExecutor e(g, lowered(g, p, {y}));
  e.write(a, to_bytes(Numbers(144, 1), DType::f64));
  e.step({});
  EXPECT_THAT(read(e, g, y), ElementsAre(0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8));
}

TEST(Lower, RetileCopiesEveryOverlappingPair) {
  Graph g;
  const Sym x = g.tensor("x", {{"in", 6}}, Kind::input, DType::f64);
  const Sym y = g.one(retile, {x});
  g[y].axis_names[0] = "out";
  EXPECT_NE(unify(g).of[0][0], unify(g).of[1][0]);
  Plan p;
  p.numerics.cuts["in"] = cut_of_sizes({2, 4}, 1);
  p.numerics.cuts["out"] = cut_of_sizes({3, 3}, 1);
  EXPECT_THAT(calls(g, lowered(g, p, {y})),
              ElementsAre("retile x[0:2] =retile[0:3]", "retile x[2:6] &retile[0:3]", "retile x[2:6] =retile[3:6]"));
  SequentialExecutor e(g, lowered(g, p, {y}));
  e.write(x, to_bytes({1, 2, 3, 4, 5, 6}, DType::f64));
  e.step({});
  EXPECT_THAT(read(e, g, y), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(Lower, AWholeAxisIsNotCut) {
  const Model m = mlp({});
  Plan p;
  p.numerics.cuts["classes"] = even_cut(5, 2, 1);
  const std::string message = message_of(Exit::usage, [&] { testing::lowered(m, p); });
  EXPECT_THAT(message, HasSubstr("classes"));
  EXPECT_THAT(message, HasSubstr("count_correct.V"));
}

TEST(Lower, ABatchTileGoesBackwardAsSoonAsItCan) {
  const Model m = mlp({.batch = 12});
  Plan p;
  p.numerics.cuts["batch"] = even_cut(12, 3, 1);
  const TaskGraph t = testing::lowered(m, p);
  int last_forward = -1, first_backward = -1;
  for (int i = 0; i < count(t.tasks); ++i) {
    const std::string name = at(t.tasks, i).name();
    if (name == "linear") last_forward = i;
    if (name == "linear_dw" && first_backward < 0) first_backward = i;
  }
  EXPECT_LT(first_backward, last_forward);
}

TEST(Lower, ShardsAreTilesOfTheBatch) {
  const Model m = mlp({.batch = 12});
  Plan p;
  p.numerics.cuts["batch"] = even_cut(12, 3, 3);
  for (const Task& t : testing::lowered(m, p).tasks) {
    const bool of_batch = t.name() != "add" && t.name() != "adamw";
    EXPECT_EQ(t.shard >= 0, of_batch) << t.name();
  }
}

TEST(Lower, ImplementationsArePinnedByKernelThenByOp) {
  const Model m = mlp({});
  const TaskGraph t = testing::lowered(m);
  const auto loss =
      std::find_if(t.tasks.begin(), t.tasks.end(), [](auto& x) { return x.name() == "softmax_cross_entropy"; });
  ASSERT_NE(loss, t.tasks.end());
  const std::string key = kernel_key(t, loss->calls[0]);
  EXPECT_EQ(key, "softmax_cross_entropy fp64 13x5,13,scalar->scalar,13x5");
  const auto chosen = [&](std::map<std::string, std::string> pins) {
    Plan p;
    p.numerics.implementations = std::move(pins);
    const TaskGraph g = testing::lowered(m, p);
    const auto& call = g.tasks[static_cast<std::size_t>(loss - t.tasks.begin())].calls[0];
    return std::string(call.op->impls[static_cast<std::size_t>(call.impl)].name);
  };
  EXPECT_EQ(chosen({{"softmax_cross_entropy", "ref"}}), "ref");
  EXPECT_EQ(chosen({{"softmax_cross_entropy", "ref"}, {key, "simd"}}), "simd");
  EXPECT_THAT(message_of(Exit::usage,
                         [&] {
                           chosen({{"softmax_cross_entropy", "magic"}});
                         }),
              ::testing::AllOf(HasSubstr("magic"), HasSubstr("simd, ref")));
}

TEST(Lower, DeepModelsAreLoweredQuickly) {
  const Model m = mlp(
      {.batch = 64, .features = 8, .classes = 8, .hidden = std::vector<Index>(200, 8), .optimizer = {.grad_clip = 1}});
  Plan p;
  p.numerics.cuts["batch"] = even_cut(64, 16, 4);
  const auto clock = [] { return std::chrono::steady_clock::now(); };
  const auto ms = [](auto a, auto b) { return std::chrono::duration<double, std::milli>(b - a).count(); };
  const auto start = clock();
  const Classes c = unify(m.graph());
  const auto unified = clock();
  TaskGraph t = lower(m.graph(), c, p, std::vector<Sym>{m.loss});
  const auto lower_end = clock();
  for (Task& task : t.tasks)
    for (KernelCall& call : task.calls) call.predicted_us = 20;
  const std::size_t tasks = t.tasks.size();
  fuse(t, 50);
  set_priorities(t);
  const auto fused = clock();
  assign_slots(t);
  const auto end = clock();
  double slots = 0;
  for (const Slot& slot : t.slots) slots += slot.keep ? 0 : static_cast<double>(slot.bytes);
  std::printf("%.0f kB of slots, %zu tasks, %zu after fusion: unify %.0f, lower %.0f, fuse %.0f, slots %.0f ms\n",
              slots / 1e3, tasks, t.tasks.size(), ms(start, unified), ms(unified, lower_end), ms(lower_end, fused),
              ms(fused, end));
  EXPECT_LT(t.tasks.size(), tasks);
}

}  // namespace
}  // namespace pleiad
