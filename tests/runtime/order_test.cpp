#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "expect_error.hpp"
#include "models.hpp"
#include "runtime/starpu_executor.hpp"

namespace pleiad {
namespace {

void copy_one(const Call& c) noexcept { *c[1].as<float>() = *c[0].as<float>() + 1; }
void sleep_long(const Call& c) noexcept {
  std::this_thread::sleep_for(std::chrono::seconds(30));
  copy_one(c);
}
const Op plus_one{.name = "plus_one", .axes = "...->...", .impls = {{{Device::cpu, "ref", copy_one}}}};
const Op sleeper{.name = "sleeper", .axes = "...->...", .impls = {{{Device::cpu, "ref", sleep_long}}}};

/// A tensor, a first op on it, and `leaves` independent ops on the result.
struct Star {
  Graph graph;
  Sym input;
  std::vector<Sym> leaves;

  Star(const Op& root, const Op& leaf, int leaf_count) {
    input = graph.tensor("x", {{"one", 1}}, Kind::input);
    const Sym middle = graph.one(root, {input});
    for (int i = 0; i < leaf_count; ++i) leaves.push_back(graph.one(leaf, {middle}));
  }
  TaskGraph tasks() const { return lower(graph, unify(graph), Plan{}, leaves); }
};

constexpr auto kNap = std::chrono::milliseconds(50);
void nap(const Call& c) noexcept {
  std::this_thread::sleep_for(kNap);
  copy_one(c);
}
const Op napper{.name = "napper", .axes = "...->...", .impls = {{{Device::cpu, "ref", nap}}}};

class Priorities : public ::testing::TestWithParam<const char*> {};

/// The root outlasts submission, so that all leaves become ready at once; a step in which the submitting thread was
/// held up for longer shows nothing and is repeated.
TEST_P(Priorities, DecideAmongReadyTasks) {
  Session session(testing::session_options(1, GetParam()));
  const Star star(napper, plus_one, 12);
  TaskGraph tasks = star.tasks();
  ASSERT_EQ(tasks.tasks.size(), 13u);
  for (std::size_t t = 0; t < tasks.tasks.size(); ++t) tasks.tasks[t].priority = static_cast<double>(t * 5 % 13);
  tasks.tasks[0].priority = 100;
  StarpuExecutor executor(session, star.graph, tasks);
  executor.keep_timeline(true);
  for (int shown = 0; shown < 3;) {
    executor.step({});
    if (executor.last_step().submit_us > std::chrono::microseconds(kNap).count() * 0.9) continue;
    ++shown;
    std::vector<TaskRecord> order = executor.last_step().tasks;
    std::ranges::sort(order, {}, &TaskRecord::start_us);
    for (std::size_t i = 1; i < order.size(); ++i)
      EXPECT_GE(tasks.tasks[static_cast<std::size_t>(order[i - 1].task)].priority,
                tasks.tasks[static_cast<std::size_t>(order[i].task)].priority);
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, Priorities, ::testing::Values("prio", "dmdas"),
                         [](const auto& policy) { return std::string(policy.param); });

/// Ends the process as a program does that catches the error.
[[noreturn]] void stall() {
  SessionOptions options = testing::session_options(1, "prio");
  options.stall_seconds = 0.4;
  int exit = 0;
  try {
    Session session(options);
    const Star star(plus_one, sleeper, 2);
    StarpuExecutor executor(session, star.graph, star.tasks());
    executor.step({});
  } catch (const Error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    exit = static_cast<int>(e.exit());
  }
  std::_Exit(exit);
}

TEST(StallDeathTest, NamesWhatRunsAndWhatIsReady) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(stall(), ::testing::ExitedWithCode(static_cast<int>(Exit::stalled)),
              "stalled: no task finished for 0.4 s \\(1 ready, 1 running, 0 waiting, 1 done\\)\n"
              "cpu0: sleeper for 0.[4-9] s\n"
              "ready: sleeper\n");
}

TEST(SlowTasks, AreNoStallWhileOthersEnd) {
  SessionOptions options = testing::session_options(1, "prio");
  options.stall_seconds = 1;
  Session session(options);
  const Star star(napper, napper, 28);
  StarpuExecutor executor(session, star.graph, star.tasks());
  EXPECT_NO_THROW(executor.step({}));
}

}  // namespace
}  // namespace pleiad
