#include <gtest/gtest.h>

#include <algorithm>

#include "training.hpp"

namespace pleiad {
namespace {

using namespace pleiad::testing;

std::vector<std::string> calls_of(const Model& m, const TaskGraph& g) {
  std::vector<std::string> all;
  for (const Task& t : g.tasks)
    for (const KernelCall& c : t.calls) all.push_back(std::to_string(c.node) + " " + to_text(m.graph(), g, c));
  return all;
}

/// Every dependency of the graph before fusion, as positions in the order of calls after it.
void expect_same_work(const Model& m, const TaskGraph& before, const TaskGraph& after) {
  auto a = calls_of(m, before), b = calls_of(m, after);
  const auto order = b;
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  EXPECT_EQ(a, b);
  const auto position = [&](std::size_t task) {
    const KernelCall& c = before.tasks[task].calls[0];
    const std::string text = std::to_string(c.node) + " " + to_text(m.graph(), before, c);
    return std::find(order.begin(), order.end(), text) - order.begin();
  };
  const Edges edges = edges_of(before);
  for (std::size_t i = 0; i < edges.after.size(); ++i)
    for (int next : edges.after[i]) EXPECT_LT(position(i), position(static_cast<std::size_t>(next)));
}

TEST(Fuse, EveryCallRunsOnceAndDependenciesKeepTheirOrder) {
  std::mt19937 random(31);
  for (const Model& m : {contractions(), mlp({.dropout = 0.2, .optimizer = {.grad_clip = 1}})})
    for (int i = 0; i < 15; ++i) {
      TaskGraph before = lowered(m, random_plan(unify(m.graph()), random, 1 + i % 3));
      predict_at_random(before, random);
      TaskGraph after = before;
      fuse(after, 10 + random_below(random, 400));
      expect_same_work(m, before, after);
      const Edges edges = edges_of(after);
      for (std::size_t t = 0; t < edges.after.size(); ++t)
        for (int next : edges.after[t]) EXPECT_GT(next, static_cast<int>(t));
    }
}

Plan batch_tiles(int tiles, int lanes) {
  Plan p;
  p.numerics.cuts["batch"] = even_cut(12, tiles, lanes);
  return p;
}

TaskGraph predicted(const Model& m, const Plan& p, double us) {
  TaskGraph g = lowered(m, p);
  for (Task& t : g.tasks) t.calls[0].predicted_us = us;
  return g;
}

TEST(Fuse, TasksOfOneBatchTileStayApartFromThoseOfOthers) {
  const Model m = mlp({.batch = 12, .hidden = {10, 10, 10, 10}});
  for (int lanes : {1, 3}) {
    const TaskGraph before = predicted(m, batch_tiles(3, lanes), 5);
    std::vector<std::pair<std::string, int>> shard;
    for (const Task& t : before.tasks) shard.emplace_back(to_text(m.graph(), before, t.calls[0]), t.shard);
    TaskGraph after = before;
    fuse(after, 100);
    EXPECT_LT(after.tasks.size(), before.tasks.size() / 2);
    for (const Task& t : after.tasks)
      for (const KernelCall& c : t.calls) {
        const std::string text = to_text(m.graph(), after, c);
        const auto known = std::find_if(shard.begin(), shard.end(), [&](auto& s) { return s.first == text; });
        EXPECT_EQ(known->second < 0 ? t.shard : known->second, t.shard) << text;
      }
  }
}

/// Longest path with tasks of predicted time.
double critical_path_us(TaskGraph g) {
  set_priorities(g);
  double longest = 0;
  for (const Task& t : g.tasks) longest = std::max(longest, t.priority);
  return longest;
}

TEST(Fuse, TheCriticalPathStaysFarBelowTheSumOfAllWork) {
  const Model m = mlp({.batch = 12, .hidden = {10, 10, 10, 10, 10, 10}});
  const TaskGraph before = predicted(m, batch_tiles(4, 4), 20);
  TaskGraph after = before;
  fuse(after, 50);
  double work = 0;
  for (const Task& t : after.tasks) work += t.predicted_us();
  EXPECT_LT(after.tasks.size(), before.tasks.size() * 2 / 3);
  EXPECT_LT(critical_path_us(after), 1.6 * critical_path_us(before));
  EXPECT_LT(critical_path_us(after), work / 2);
}

TEST(Fuse, LongTasksAreLeftAloneAndTinyOnesJoinThem) {
  const Model m = mlp({.batch = 12});
  TaskGraph g = predicted(m, {}, 500);
  const std::size_t tasks = g.tasks.size();
  fuse(g, 100);
  EXPECT_EQ(g.tasks.size(), tasks);
  fuse(g, 0);
  EXPECT_EQ(g.tasks.size(), tasks);
  for (Task& t : g.tasks)
    if (t.name() == "count_correct") t.calls[0].predicted_us = 1;
  fuse(g, 100);
  EXPECT_EQ(g.tasks.size(), tasks - 1);
}

TEST(Fuse, SmallOptimizerUpdatesAreBatched) {
  const Model m = mlp({.batch = 12, .hidden = std::vector<Index>(20, 10), .optimizer = {.grad_clip = 1}});
  TaskGraph g = predicted(m, {}, 5);
  fuse(g, 50);
  const auto updates = std::count_if(g.tasks.begin(), g.tasks.end(),
                                     [](const Task& t) { return t.name().find("adamw") != std::string::npos; });
  EXPECT_LE(updates, 10);  // of 42
}

TEST(Fuse, TasksOfTwoRanksStayApart) {
  const Model m = mlp({.batch = 12});
  Plan p = batch_tiles(2, 2);
  p.placement.grid = {{.size = 2}};
  p.placement.spread["batch"] = {.grid_axis = 0, .coordinate = {0, 1}};
  TaskGraph g = predicted(m, p, 1);
  std::map<std::string, int> rank;
  for (const Task& t : g.tasks) rank[to_text(m.graph(), g, t.calls[0])] = t.rank;
  fuse(g, 1000);
  for (const Task& t : g.tasks)
    for (const KernelCall& c : t.calls) EXPECT_EQ(rank.at(to_text(m.graph(), g, c)), t.rank);
}

TEST(Priorities, AreLongestPathsToTheEnd) {
  const Model m = mlp({.batch = 12});
  TaskGraph g = predicted(m, batch_tiles(3, 2), 7);
  set_priorities(g);
  const Edges edges = edges_of(g);
  for (std::size_t i = 0; i < g.tasks.size(); ++i) {
    double rest = 0;
    for (int next : edges.after[i]) rest = std::max(rest, at(g.tasks, next).priority);
    EXPECT_DOUBLE_EQ(g.tasks[i].priority, 7 + rest);
  }
}

}  // namespace
}  // namespace pleiad
