#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "expect_error.hpp"
#include "graph/planner.hpp"

namespace pleiad {
namespace {

/// Task graphs by hand: each task writes a buffer of its own and reads those of the tasks it waits for.
class Tasks {
 public:
  int add(double us, const std::vector<int>& after = {}, double priority = 0) {
    const auto number = static_cast<int>(graph.tasks.size());
    KernelCall call{.predicted_us = us};
    for (int before : after) call.args.push_back({.buffer = before, .access = Access::read});
    call.args.push_back({.buffer = number, .access = Access::write});
    graph.buffers.push_back({.shape = {1}});
    graph.tasks.push_back({.calls = {call}, .priority = priority});
    return number;
  }
  TaskGraph graph;
};

Machine machine(int workers, double overhead_us) {
  Machine m;
  for (int i = 0; i < workers; ++i) m.workers.push_back({.name = "cpu", .overhead_us = overhead_us});
  return m;
}
constexpr double kNone = 1e-12;  // an overhead that does not show

TEST(Estimate, a_chain_gains_nothing_from_workers) {
  Tasks t;
  t.add(20, {t.add(10)});
  t.add(30, {1});
  for (int workers : {1, 2, 4}) {
    const Estimate e = estimate(t.graph, machine(workers, kNone));
    EXPECT_NEAR(e.step_us, 60, 1e-6);
    EXPECT_NEAR(e.critical_path_us, 60, 1e-6);
    EXPECT_NEAR(e.area_us, 60.0 / workers, 1e-6);
  }
}

TEST(Estimate, fork_and_join) {
  Tasks t;
  const int fork = t.add(10);
  const int a = t.add(20, {fork}), b = t.add(20, {fork}), c = t.add(20, {fork});
  t.add(5, {a, b, c});
  EXPECT_NEAR(estimate(t.graph, machine(1, kNone)).step_us, 75, 1e-6);
  EXPECT_NEAR(estimate(t.graph, machine(2, kNone)).step_us, 55, 1e-6);
  EXPECT_NEAR(estimate(t.graph, machine(3, kNone)).step_us, 35, 1e-6);
  EXPECT_NEAR(estimate(t.graph, machine(8, kNone)).step_us, 35, 1e-6);
}

TEST(Estimate, priority_decides_which_ready_task_starts) {
  const auto step = [](double long_chain_priority) {
    Tasks t;
    t.add(10, {}, 1);
    t.add(10, {}, 1);
    t.add(30, {t.add(10, {}, long_chain_priority)}, 1);
    return estimate(t.graph, machine(2, kNone)).step_us;
  };
  EXPECT_NEAR(step(40), 40, 1e-6) << "10 then 30 beside the two short ones";
  EXPECT_NEAR(step(0), 50, 1e-6) << "both short ones first";
}

TEST(Estimate, longest_path_priorities_start_the_long_chain_first) {
  Tasks t;
  t.add(10);
  t.add(10);
  t.add(30, {t.add(10)});
  set_priorities(t.graph);
  EXPECT_NEAR(estimate(t.graph, machine(2, kNone)).step_us, 40, 1e-6);
}

TEST(Estimate, every_task_pays_the_overhead) {
  Tasks t;
  t.add(10, {t.add(10)});
  t.add(10);
  t.add(10);
  const Estimate e = estimate(t.graph, machine(2, 3));
  EXPECT_NEAR(e.step_us, 26, 1e-6);
  EXPECT_NEAR(e.area_us, 26, 1e-6);
  EXPECT_NEAR(e.critical_path_us, 26, 1e-6);
  EXPECT_THAT(e.busy_us, testing::Each(testing::DoubleNear(20, 1e-6))) << "busy is time inside kernels";
  EXPECT_NEAR(estimate(t.graph, machine(2, 0)).step_us, 20 + 2 * kUnknownOverhead_us, 1e-6);
}

TEST(Estimate, unlike_overheads_count_where_the_task_runs) {
  Tasks t;
  t.add(10);
  Machine m = machine(2, 1);
  m.workers[0].overhead_us = 7;
  EXPECT_NEAR(estimate(t.graph, m).step_us, 11, 1e-6) << "the worker that ends it first takes it";
  t.add(10);
  EXPECT_LE(estimate(t.graph, m).critical_path_us, estimate(t.graph, m).step_us);
}

Machine with_gpu(Machine m) {
  m.workers.push_back({.name = "gpu", .device = Device::gpu, .overhead_us = kNone});
  return m;
}
void runs_on_gpus_in(Task& t, double us) {
  t.calls[0].gpu_impl = 0;
  t.calls[0].gpu_predicted_us = us;
}

TEST(Estimate, a_gpu_takes_what_it_can_run_and_does_sooner) {
  Tasks t;
  for (int i = 0; i < 4; ++i) t.add(100);
  EXPECT_NEAR(estimate(t.graph, with_gpu(machine(1, kNone))).step_us, 400, 1e-6) << "the GPU can run none of them";
  for (Task& task : t.graph.tasks) runs_on_gpus_in(task, 20);
  const Estimate e = estimate(t.graph, with_gpu(machine(1, kNone)));
  EXPECT_NEAR(e.step_us, 80, 1e-6) << "waiting for the GPU is shorter than the CPU";
  EXPECT_NEAR(e.busy_us[0], 0, 1e-6);
  EXPECT_NEAR(e.busy_us[1], 80, 1e-6);
  for (Task& task : t.graph.tasks) runs_on_gpus_in(task, 45);
  EXPECT_NEAR(estimate(t.graph, with_gpu(machine(1, kNone))).step_us, 135, 1e-6) << "three there, one on the CPU";
}

TEST(Estimate, lies_between_its_bounds_and_one_worker_s_time) {
  unsigned random = 7;
  const auto next = [&](unsigned below) { return (random = random * 1664525u + 1013904223u) / 65536u % below; };
  for (int round = 0; round < 50; ++round) {
    Tasks t;
    const int n = 1 + static_cast<int>(next(60));
    for (int i = 0; i < n; ++i) {
      std::vector<int> after;
      for (unsigned k = next(3); i > 0 && k > 0; --k) after.push_back(static_cast<int>(next(static_cast<unsigned>(i))));
      t.add(1 + next(100), after);
    }
    set_priorities(t.graph);
    const double sum = estimate(t.graph, machine(1, 2)).step_us;
    const int workers = 1 + static_cast<int>(next(5));
    const Estimate e = estimate(t.graph, machine(workers, 2));
    EXPECT_GE(e.step_us, e.area_us - 1e-6);
    EXPECT_GE(e.step_us, e.critical_path_us - 1e-6);
    EXPECT_LE(e.step_us, sum + 1e-6);
    EXPECT_LE(e.step_us, e.area_us + e.critical_path_us + 1e-6) << "Graham's bound";
    EXPECT_NEAR(std::accumulate(e.busy_us.begin(), e.busy_us.end(), 2.0 * n), sum, 1e-6);
    EXPECT_EQ(e.step_us, estimate(t.graph, machine(workers, 2)).step_us) << "deterministic";
  }
}

TEST(Estimate, an_empty_step_takes_no_time) { EXPECT_EQ(estimate({}, machine(2, 5)).step_us, 0); }

TEST(Estimate, needs_a_cpu_worker) {
  EXPECT_THAT(message_of(Exit::hardware, [] { estimate({}, {}); }), testing::HasSubstr("no CPU worker"));
}

}  // namespace
}  // namespace pleiad
