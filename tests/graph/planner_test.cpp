#include "graph/planner.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "expect_error.hpp"
#include "graph/nn.hpp"

namespace pleiad {
namespace {

using testing::HasSubstr;

struct Model {
  explicit Model(Index batch) {
    net = nn::mlp(builder, batch, 12, {16, 8}, 5, Activation::relu, 0);
    nn::optimize(builder, net.out.loss, {});
    classes = unify(builder.graph);
  }
  const Graph& graph() const { return builder.graph; }

  nn::Builder builder;
  nn::Network net;
  Classes classes;
};

Machine machine(int workers, std::size_t ram = std::size_t{1} << 30) {
  Machine m;
  m.memories = {{.name = "ram", .bytes = ram}};
  for (int i = 0; i < workers; ++i)
    m.workers.push_back({.name = "cpu" + std::to_string(i), .flops = 1e9, .bandwidth = 1e9, .overhead_us = 5});
  return m;
}

PlanRequest request(const Model& model) { return {.keep = {model.net.out.loss}, .budget_us = 0}; }

/// Times for every kernel of every plan that may be tried: `us_per_flop` x its work, on every implementation alike but
/// for what `speed` says.
template <class Speed>
KernelTimes times_of(const Model& m, int workers, double us_per_flop, Speed speed) {
  KernelTimes times;
  const Index batch = m.classes.extent[static_cast<std::size_t>(m.classes.find("batch"))];
  for (Index n : {1, workers, 2 * workers, 3 * workers, 4 * workers}) {
    Plan plan;
    if (n > 1) plan.numerics.cuts["batch"] = even_cut(batch, n, static_cast<int>(std::min<Index>(n, workers)));
    for (int lanes : {1, workers}) {
      if (n > 1) plan.numerics.cuts["batch"] = even_cut(batch, n, lanes);
      const TaskGraph g = lower(m.graph(), m.classes, plan);
      for (const MissingKernel& k : missing_kernels(g, times)) {
        const std::string impl = k.op->impls[static_cast<std::size_t>(k.impl)].name;
        const Cost one = cost_of(*k.op, g.signatures[static_cast<std::size_t>(k.signature)], k.tiles);
        times.set(k.key, impl, {us_per_flop * one.flops * speed(*k.op, impl, k.key) + 0.01, 0, 9});
      }
    }
  }
  return times;
}
KernelTimes times_of(const Model& m, int workers, double us_per_flop) {
  return times_of(m, workers, us_per_flop, [](const Op&, const std::string&, const std::string&) { return 1.0; });
}

std::size_t batch_tiles(const Plan& p) {
  const auto it = p.numerics.cuts.find("batch");
  return it == p.numerics.cuts.end() ? 1 : it->second.tiles();
}

TEST(Planner, expensive_kernels_are_cut_for_all_workers) {
  const Model m(64);
  KernelTimes times = times_of(m, 2, 1);
  const Planned p = make_plan(m.graph(), m.classes, machine(2), times, request(m));
  EXPECT_GE(batch_tiles(p.plan), 2u);
  const Plan whole;
  const double uncut_us = apply_plan(m.graph(), m.classes, machine(2), times, whole, {}).estimate.step_us;
  EXPECT_LT(p.estimate.step_us, 0.8 * uncut_us);
}

TEST(Planner, cheap_kernels_stay_in_one_tile_and_few_tasks) {
  const Model m(64);
  KernelTimes times = times_of(m, 2, 1e-6);
  const Planned p = make_plan(m.graph(), m.classes, machine(2), times, request(m));
  EXPECT_EQ(batch_tiles(p.plan), 1u);
  EXPECT_GT(p.plan.placement.grain_us, 0);
  EXPECT_LE(p.tasks.tasks.size(), 4u);
}

TEST(Planner, one_worker_needs_no_cut) {
  const Model m(64);
  KernelTimes times = times_of(m, 1, 1);
  EXPECT_EQ(batch_tiles(make_plan(m.graph(), m.classes, machine(1), times, request(m)).plan), 1u);
}

TEST(Planner, the_fastest_implementation_of_each_kernel_is_pinned) {
  const Model m(64);
  const auto speed = [](const Op&, const std::string& impl, const std::string& key) {
    return (impl == "simd") == (key.find("16x12") != std::string::npos) ? 0.5 : 1.0;
  };
  KernelTimes times = times_of(m, 2, 0.01, speed);
  const Planned p = make_plan(m.graph(), m.classes, machine(2), times, request(m));
  std::set<std::string> keys;
  for (const Task& t : p.tasks.tasks)
    for (const KernelCall& c : t.calls) {
      const std::string key = kernel_key(p.tasks, c), impl = c.op->impls[static_cast<std::size_t>(c.impl)].name;
      keys.insert(key);
      EXPECT_EQ(p.plan.numerics.implementations.at(key), impl);
      for (const Impl& other : c.op->implementations()) {
        const auto t2 = times.find(key, other.name);
        EXPECT_LE(times.find(key, impl)->median_us, t2 ? t2->median_us : 1e9) << key;
      }
      EXPECT_EQ(c.predicted_us, times.find(key, impl)->median_us);
    }
  EXPECT_EQ(p.plan.numerics.implementations.size(), keys.size());
}

TEST(Planner, deterministic_pins_one_implementation_an_op_for_all_shapes) {
  const Model m(64);
  const auto speed = [](const Op&, const std::string& impl, const std::string& key) {
    return (impl == "simd") == (key.find("16x12") != std::string::npos) ? 0.5 : 1.0;
  };
  KernelTimes times = times_of(m, 2, 0.01, speed);
  PlanRequest r = request(m);
  r.deterministic = true;
  const Planned p = make_plan(m.graph(), m.classes, machine(2), times, r);
  for (const Task& t : p.tasks.tasks)
    for (const KernelCall& c : t.calls) {
      const auto& pins = p.plan.numerics.implementations;
      const auto by_op = pins.find(std::string(c.op->name));
      ASSERT_NE(by_op, pins.end()) << c.op->name;
      if (pins.contains(kernel_key(p.tasks, c))) continue;  // one that the op's implementation cannot run
      EXPECT_EQ(c.op->impls[static_cast<std::size_t>(c.impl)].name, by_op->second);
    }
}

TEST(Planner, a_saved_plan_gives_the_same_tasks_again) {
  const Model m(64);
  KernelTimes times = times_of(m, 2, 0.01);
  const Planned p = make_plan(m.graph(), m.classes, machine(2), times, request(m));
  const Plan plan = plan_from_json(to_json(p.plan));
  EXPECT_EQ(plan, p.plan);
  const Planned again = apply_plan(m.graph(), m.classes, machine(2), times, plan, request(m).keep);
  EXPECT_EQ(to_text(m.graph(), again.tasks), to_text(m.graph(), p.tasks));
  EXPECT_EQ(again.estimate.step_us, p.estimate.step_us);
  for (std::size_t i = 0; i < p.tasks.tasks.size(); ++i)
    for (std::size_t c = 0; c < p.tasks.tasks[i].calls.size(); ++c)
      EXPECT_EQ(again.tasks.tasks[i].calls[c].impl, p.tasks.tasks[i].calls[c].impl);
}

TEST(Planner, pins_hold_whatever_was_measured_later) {
  const Model m(64);
  KernelTimes times = times_of(m, 2, 0.01);
  const Planned p = make_plan(m.graph(), m.classes, machine(2), times, request(m));
  const std::string key = kernel_key(p.tasks, p.tasks.tasks[0].calls[0]);
  const KernelCall& call = p.tasks.tasks[0].calls[0];
  for (const Impl& impl : call.op->implementations())
    if (impl.name != p.plan.numerics.implementations.at(key)) times.set(key, impl.name, {1e-3, 0, 9});
  const Planned again = apply_plan(m.graph(), m.classes, machine(2), times, p.plan, request(m).keep);
  EXPECT_EQ(again.tasks.tasks[0].calls[0].impl, call.impl);
}

TEST(Planner, times_what_it_lacks_once) {
  const Model m(16);
  KernelTimes times;
  PlanRequest r = request(m);
  r.budget_us = 1e9;
  const Planned first = make_plan(m.graph(), m.classes, machine(2), times, r);
  EXPECT_GT(first.timed, 0u);
  EXPECT_GT(first.timing_us, 0);
  EXPECT_EQ(times.size(), first.timed);
  EXPECT_TRUE(missing_kernels(first.tasks, times).empty());
  const Planned second = make_plan(m.graph(), m.classes, machine(2), times, r);
  EXPECT_EQ(second.timed, 0u);
  EXPECT_EQ(second.timing_us, 0);
  EXPECT_EQ(second.plan, first.plan);
}

TEST(Planner, without_a_budget_nothing_is_timed_and_roofline_predicts) {
  const Model m(64);
  KernelTimes times;
  const Planned p = make_plan(m.graph(), m.classes, machine(2), times, request(m));
  EXPECT_EQ(p.timed, 0u);
  EXPECT_EQ(times.size(), 0u);
  for (const Task& t : p.tasks.tasks)
    for (const KernelCall& c : t.calls) EXPECT_EQ(c.predicted_us, roofline_us(machine(2).workers[0], c.cost));
}

TEST(Planner, missing_kernels_are_distinct_and_leave_out_the_reference) {
  const Model m(64);
  Plan plan;
  plan.numerics.cuts["batch"] = even_cut(64, 4, 2);
  const TaskGraph g = lower(m.graph(), m.classes, plan);
  std::set<std::pair<std::string, int>> seen;
  for (const MissingKernel& k : missing_kernels(g, KernelTimes())) {
    EXPECT_TRUE(seen.emplace(k.key, k.impl).second) << k.key;
    EXPECT_GE(k.cost.bytes, cost_of(*k.op, g.signatures[static_cast<std::size_t>(k.signature)], k.tiles).bytes);
    const bool alone = std::ranges::count(k.op->implementations(), Device::cpu, &Impl::device) == 1;
    EXPECT_TRUE(alone || std::string_view(k.op->impls[static_cast<std::size_t>(k.impl)].name) != "ref") << k.key;
  }
  EXPECT_FALSE(seen.empty());
}

TEST(Planner, only_the_batch_is_cut) {
  const Model m(64);
  KernelTimes times = times_of(m, 2, 1);
  for (const auto& [name, cut] : make_plan(m.graph(), m.classes, machine(2), times, request(m)).plan.numerics.cuts)
    EXPECT_EQ(name, "batch");
}

TEST(Planner, a_whole_class_is_never_cut) {
  const Model m(64);
  KernelTimes times = times_of(m, 2, 1);
  PlanRequest r = request(m);
  for (std::size_t c = 0; c < m.classes.size(); ++c) {
    if (!m.classes.whole[c]) continue;
    r.batch_class = m.classes.name[c];
    EXPECT_TRUE(make_plan(m.graph(), m.classes, machine(2), times, r).plan.numerics.cuts.empty());
    r.batch_tiles = {1, m.classes.extent[c] - 1};
    EXPECT_THAT(message_of(Exit::usage, [&] { make_plan(m.graph(), m.classes, machine(2), times, r); }),
                HasSubstr(r.batch_class));
    r.batch_tiles.clear();
  }
}

TEST(Planner, sizes_pinned_by_the_user_are_obeyed) {
  const Model m(64);
  KernelTimes times;
  PlanRequest r = request(m);
  r.batch_tiles = {40, 17, 7};
  const Planned p = make_plan(m.graph(), m.classes, machine(2), times, r);
  EXPECT_THAT(p.plan.numerics.cuts.at("batch").bounds, testing::ElementsAre(0, 40, 57, 64));
  r.batch_tiles = {64};
  EXPECT_EQ(batch_tiles(make_plan(m.graph(), m.classes, machine(2), times, r).plan), 1u);
}

TEST(Planner, pinned_sizes_that_miss_the_batch_are_refused) {
  const Model m(64);
  KernelTimes times;
  PlanRequest r = request(m);
  r.batch_tiles = {40, 17};
  const std::string message = message_of(Exit::usage, [&] { make_plan(m.graph(), m.classes, machine(2), times, r); });
  EXPECT_THAT(message, HasSubstr("add up to 57"));
  EXPECT_THAT(message, HasSubstr("is 64"));
}

TEST(Planner, a_pinned_grain_is_obeyed) {
  const Model m(64);
  KernelTimes times = times_of(m, 2, 1e-6);
  PlanRequest r = request(m);
  r.grain_us = 0;
  const Planned p = make_plan(m.graph(), m.classes, machine(2), times, r);
  EXPECT_EQ(p.plan.placement.grain_us, 0);
  for (const Task& t : p.tasks.tasks) EXPECT_EQ(t.calls.size(), 1u);
}

TEST(Planner, small_batches_get_no_more_tiles_than_samples) {
  const Model m(3);
  KernelTimes times;
  const Planned p = make_plan(m.graph(), m.classes, machine(2), times, request(m));
  EXPECT_LE(batch_tiles(p.plan), 3u);
}

TEST(Memory, need_counts_what_executors_allocate) {
  const Model m(64);
  KernelTimes times;
  const Planned p = make_plan(m.graph(), m.classes, machine(1), times, request(m));
  std::size_t slots = 0, parameters = 0;
  for (const Slot& s : p.tasks.slots) slots += s.bytes;
  for (const Tensor& t : m.graph().tensors)
    if (t.kind == Kind::param || t.kind == Kind::state)
      parameters += static_cast<std::size_t>(t.shape.volume()) * size_of(t.dtype);
  EXPECT_EQ(p.memory.total_bytes(), slots);
  EXPECT_EQ(p.memory.parameters_bytes, parameters);
}

TEST(Memory, a_step_that_does_not_fit_says_what_would) {
  const Model m(4096);
  KernelTimes times;
  PlanRequest r = request(m);
  const Machine small = machine(2, 400000);
  r.memory_share = 1;
  r.rebuild = [](Index batch) { return Model(batch).graph(); };
  const std::string message = message_of(Exit::memory, [&] { make_plan(m.graph(), m.classes, small, times, r); });
  EXPECT_THAT(message, testing::MatchesRegex("no plan fits: needs [0-9.]+ MiB on ram \\(0.4 MiB, 0.4 MiB usable\\)\n"
                                             "activations [0-9.]+ MiB · weights\\+optimizer [0-9.]+ MiB\n"
                                             "fits: --train.batch [0-9]+"));
  const Index fits = std::stol(message.substr(message.rfind(' ') + 1));
  ASSERT_GT(fits, 1);
  ASSERT_LT(fits, 4096);
  const Model largest(fits);
  EXPECT_NO_THROW(make_plan(largest.graph(), largest.classes, small, times, r));
  const Model next(fits + fits / 4);
  EXPECT_THROW(make_plan(next.graph(), next.classes, small, times, r), Error);
}

TEST(Memory, without_a_way_to_rebuild_the_advice_is_general) {
  const std::string message = message_of(Exit::memory, [] {
    check_memory({.parameters_bytes = 1u << 30, .activations_bytes = std::size_t{5} << 30}, machine(1), 0.8);
  });
  EXPECT_EQ(message,
            "no plan fits: needs 6.0 GiB on ram (1.0 GiB, 819 MiB usable)\n"
            "activations 5.0 GiB · weights+optimizer 1.0 GiB\n"
            "a smaller --train.batch needs less");
  EXPECT_THAT(message_of(Exit::memory, [] { check_memory({.parameters_bytes = 1u << 30}, machine(1), 0.8, 0); }),
              HasSubstr("no batch fits"));
}

TEST(Memory, a_limit_of_the_process_counts) {
  Machine m = machine(1);
  m.memories[0].limit_bytes = 1000;
  EXPECT_EQ(usable_bytes(m, 0.5), 500u);
  EXPECT_THROW(check_memory({.activations_bytes = 501}, m, 0.5), Error);
  EXPECT_NO_THROW(check_memory({.activations_bytes = 500}, m, 0.5));
}

TEST(Memory, largest_batch_by_bisection) {
  const auto need = [](Index batch) { return static_cast<std::size_t>(100 + 7 * batch); };
  EXPECT_EQ(largest_batch(100 + 7 * 33, 1000, need), 33);
  EXPECT_EQ(largest_batch(100 + 7 * 34 - 1, 1000, need), 33);
  EXPECT_EQ(largest_batch(106, 1000, need), 0);
  EXPECT_EQ(largest_batch(1 << 20, 1000, need), 999);
}

}  // namespace
}  // namespace pleiad
