#include <gtest/gtest.h>

#include <fstream>
#include <limits>

#include "expect_error.hpp"
#include "models.hpp"
#include "runtime/starpu_executor.hpp"

namespace pleiad {
namespace {

using namespace testing;

/// A task graph in one of the forms the planner may choose.
TaskGraph variant(const TrainedMlp& mlp, const Plan& plan, int form) {
  TaskGraph tasks = mlp.tasks(plan);
  for (Task& t : tasks.tasks)
    for (KernelCall& c : t.calls) c.predicted_us = 1 + c.cost.flops * 1e-3;
  if (form >= 1) fuse(tasks, 20);
  set_priorities(tasks);
  if (form >= 2) assign_slots(tasks);
  return tasks;
}

struct Setting {
  std::string policy;
  int workers;
};
void PrintTo(const Setting& s, std::ostream* out) { *out << s.policy << " with " << s.workers << " workers"; }

class StarpuExecutorTest : public ::testing::TestWithParam<Setting> {};

TEST_P(StarpuExecutorTest, GivesTheBitsOfTheSequentialExecutor) {
  Session session(session_options(GetParam().workers, GetParam().policy));
  std::mt19937 random(5);
  const TrainedMlp mlp;
  for (int form = 0; form < 3; ++form) {
    const Plan plan = random_plan(mlp.graph(), random);
    SequentialExecutor reference(mlp.graph(), variant(mlp, plan, form), 11u);
    StarpuExecutor executor(session, mlp.graph(), variant(mlp, plan, form));
    EXPECT_EQ(train(executor, mlp, 20), train(reference, mlp, 20)) << "form " << form;
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, StarpuExecutorTest,
                         ::testing::Values(Setting{"prio", 1}, Setting{"prio", 2}, Setting{"lws", 1}, Setting{"lws", 2},
                                           Setting{"eager", 2}, Setting{"dmda", 2}, Setting{"dmdas", 1},
                                           Setting{"dmdas", 2}, Setting{"heteroprio", 2}),
                         [](const auto& setting) {
                           return setting.param.policy + std::to_string(setting.param.workers);
                         });

TEST(StarpuExecutorPolicies, EveryListedOneTrains) {
  const TrainedMlp mlp;
  std::mt19937 random(9);
  const Plan plan = random_plan(mlp.graph(), random);
  SequentialExecutor reference(mlp.graph(), variant(mlp, plan, 2));
  const auto wanted = train(reference, mlp, 4);
  for (const std::string& policy : Session::policies()) {
    SCOPED_TRACE(policy);
    Session session(session_options(2, policy));
    StarpuExecutor executor(session, mlp.graph(), variant(mlp, plan, 2));
    EXPECT_EQ(train(executor, mlp, 4), wanted);
  }
}

class OneSession : public ::testing::Test {
 protected:
  Session session_{session_options(2, "prio")};
};

TEST_F(OneSession, ReportsWhatAStepDid) {
  const TrainedMlp mlp;
  StarpuExecutor executor(session_, mlp.graph(), variant(mlp, Plan{}, 2));
  executor.keep_timeline(true);
  train(executor, mlp, 3);
  const StepReport& r = executor.last_step();
  ASSERT_EQ(r.busy_us.size(), 2u);
  ASSERT_EQ(r.overhead_us.size(), 2u);
  EXPECT_FALSE(r.tasks.empty());
  EXPECT_GE(r.step_us, r.submit_us);
  for (std::size_t w = 0; w < 2; ++w) {
    EXPECT_GE(r.overhead_us[w], 0);
    EXPECT_LE(r.busy_us[w] + r.overhead_us[w], r.step_us * (1 + 1e-9));
  }
  EXPECT_EQ(r.moved_bytes, 0) << "there is one memory";
  const Edges edges = edges_of(variant(mlp, Plan{}, 2));
  for (const TaskRecord& t : r.tasks)
    for (int next : edges.after[static_cast<std::size_t>(t.task)])
      EXPECT_LE(t.end_us, r.tasks[static_cast<std::size_t>(next)].start_us);
  executor.keep_timeline(false);
  executor.step({.number = 4, .lr = 0.01});
  EXPECT_TRUE(executor.last_step().tasks.empty());
}

TEST_F(OneSession, TwoExecutorsAlternate) {
  const TrainedMlp mlp, other(8);
  const auto wanted = [&] {
    StarpuExecutor alone(session_, mlp.graph(), variant(mlp, Plan{}, 2));
    return train(alone, mlp, 6);
  }();
  StarpuExecutor executor(session_, mlp.graph(), variant(mlp, Plan{}, 2));
  StarpuExecutor second(session_, other.graph(), variant(other, Plan{}, 1));
  write_initial(executor, mlp);
  write_initial(second, other);
  for (Index n = 1; n <= 6; ++n) {
    write_batch(executor, mlp, n);
    write_batch(second, other, n);
    session_.pause();
    executor.step({.number = n, .lr = 0.01, .seed = 3});
    second.step({.number = n, .lr = 0.01, .seed = 3});
  }
  for (const nn::Init& init : mlp.builder.inits)
    EXPECT_EQ(read(executor, mlp.graph(), init.param), wanted.at(mlp.graph()[init.param].name));
}

TEST_F(OneSession, KeepsWhatIsWrittenBetweenSteps) {
  const TrainedMlp mlp;
  StarpuExecutor executor(session_, mlp.graph(), variant(mlp, Plan{}, 2));
  write_initial(executor, mlp);
  for (const nn::Init& init : mlp.builder.inits)
    EXPECT_EQ(read(executor, mlp.graph(), init.param), initial_values(mlp.graph(), init, 7));
  EXPECT_GE(executor.pool_bytes(), std::size_t{1});
}

TEST_F(OneSession, RefusesWrongSizesAndTemporaryTensors) {
  const TrainedMlp mlp;
  StarpuExecutor executor(session_, mlp.graph(), variant(mlp, Plan{}, 2));
  std::vector<std::byte> little(4);
  EXPECT_THAT(message_of(Exit::internal, [&] { executor.write(mlp.model.x, little); }),
              ::testing::HasSubstr("4 bytes given, 1152 needed"));
  EXPECT_THAT(message_of(Exit::internal, [&] { executor.read(mlp.model.logits, little); }),
              ::testing::HasSubstr("does not outlive the step"));
}

std::size_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t pages = 0, resident = 0;
  statm >> pages >> resident;
  return resident * 4096;
}

/// All updates in one task: more operands than StarPU keeps inside a task.
TEST_F(OneSession, TwoThousandStepsKeepTheirMemory) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer keeps what is freed; it looks for leaks itself";
#endif
  const TrainedMlp mlp;
  TaskGraph tasks = variant(mlp, Plan{}, 0);
  fuse(tasks, 1e9);
  std::size_t largest = 0;
  for (const Task& t : tasks.tasks) largest = std::max(largest, accesses_of(tasks, t).size());
  ASSERT_GT(largest, 8u);
  StarpuExecutor executor(session_, mlp.graph(), std::move(tasks));
  train(executor, mlp, 200);
  const std::size_t before = resident_bytes();
  train(executor, mlp, 2000);
  EXPECT_LT(resident_bytes(), before + (std::size_t{1} << 20));
}

}  // namespace
}  // namespace pleiad
