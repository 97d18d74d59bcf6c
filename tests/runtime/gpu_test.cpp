#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "codelets/gpu/device.hpp"
#include "models.hpp"
#include "runtime/starpu_executor.hpp"

namespace pleiad {
namespace {

using namespace testing;

/// Every call that a GPU implementation fits may run there.
TaskGraph with_gpu_forms(TaskGraph g) {
  for (Task& t : g.tasks)
    for (KernelCall& c : t.calls)
      for (int i = static_cast<int>(c.op->implementations().size()) - 1; i >= 0; --i)
        if (fits(g, c, i, Device::gpu)) c.gpu_impl = i;
  set_priorities(g);
  assign_slots(g);
  return g;
}

Plan cut_into(Index batch, Index tiles) {
  Plan plan;
  plan.numerics.cuts["batch"] = even_cut(batch, tiles, 2);
  return plan;
}

std::vector<float> losses_of(const std::map<std::string, std::vector<std::byte>>& trained) {
  const auto& bytes = trained.at("losses");
  std::vector<float> losses(bytes.size() / sizeof(float));
  std::memcpy(losses.data(), bytes.data(), bytes.size());
  return losses;
}

void expect_close(const std::vector<float>& losses, const std::vector<float>& wanted) {
  ASSERT_EQ(losses.size(), wanted.size());
  for (std::size_t i = 0; i < losses.size(); ++i) EXPECT_NEAR(losses[i], wanted[i], 1e-4 * wanted[i]) << "step " << i;
}

/// A CPU worker and one for a GPU: by CUDA, or by OpenCL, which may be the CPU again (PoCL).
class OneOfEach : public ::testing::Test {
 protected:
  void SetUp() override {
    const bool cuda = cuda_device_count() > 0;
    const auto devices = opencl_devices();
    if (!cuda && devices.empty()) GTEST_SKIP() << "OpenCL offers no device; tools/packages installs PoCL";
    static const bool first = no_session_yet;
    if (!first) GTEST_SKIP() << "StarPU looks for OpenCL devices once a process: use --gtest_filter=OneOfEach*";
    options_ = session_options(1, "dmdas");
    if (cuda)
      options_.gpus = {.cuda = 1};
    else
      options_.gpus = {.opencl = 1, .opencl_cpus = devices.front()->is_cpu()};
  }
  /// What a training does: its losses, and reports added up.
  struct Trained {
    std::vector<float> losses;
    std::vector<int> tasks;
    double in = 0, out = 0;
  };
  Trained train_here(const TrainedMlp& mlp, const Plan& plan, Index steps) {
    Session session(options_);
    StarpuExecutor executor(session, mlp.graph(), with_gpu_forms(mlp.tasks(plan)));
    Trained t{{}, std::vector<int>(session.workers().size())};
    write_initial(executor, mlp);
    for (Index n = 1; n <= steps; ++n) {
      write_batch(executor, mlp, n);
      executor.step({.number = n, .lr = 0.01, .seed = 3});
      const StepReport& r = executor.last_step();
      for (std::size_t w = 0; w < t.tasks.size(); ++w) t.tasks[w] += r.tasks_done[w];
      t.in += std::accumulate(r.in_bytes.begin(), r.in_bytes.end(), 0.0);
      t.out += std::accumulate(r.out_bytes.begin(), r.out_bytes.end(), 0.0);
      float loss;
      std::memcpy(&loss, read(executor, mlp.graph(), mlp.model.out.loss).data(), sizeof loss);
      t.losses.push_back(loss);
    }
    return t;
  }
  std::vector<float> on_cpus(const TrainedMlp& mlp, const Plan& plan, Index steps) {
    TaskGraph tasks = mlp.tasks(plan);
    SequentialExecutor executor(mlp.graph(), std::move(tasks));
    return losses_of(train(executor, mlp, steps));
  }

  SessionOptions options_;
};

TEST_F(OneOfEach, ShareTheTasksOfAStep) {
  const TrainedMlp mlp;
  const Plan plan = cut_into(24, 4);
  const Trained both = train_here(mlp, plan, 30);
  expect_close(both.losses, on_cpus(mlp, plan, 30));
  for (int tasks : both.tasks) EXPECT_GT(tasks, 0) << "a worker had nothing to do";
  EXPECT_EQ(std::accumulate(both.tasks.begin(), both.tasks.end(), 0),
            30 * static_cast<int>(mlp.tasks(plan).tasks.size()));
  EXPECT_GT(both.in, 0);
  EXPECT_GT(both.out, 0);
}

TEST_F(OneOfEach, TrainTheSameInAQuarterOfTheModelsMemory) {
  const TrainedMlp mlp(64, {256, 256, 256, 256, 256, 256, 256, 256});  // 2 MiB of weights, 8 MiB with all state
  const Plan plan = cut_into(64, 2);
  const auto wanted = on_cpus(mlp, plan, 12);
  options_.gpus.memory_bytes = std::size_t{2} << 20;
  const Trained capped = train_here(mlp, plan, 12);
  expect_close(capped.losses, wanted);
  for (int tasks : capped.tasks) EXPECT_GT(tasks, 0) << "a worker had nothing to do";
}

TEST_F(OneOfEach, ARunWithoutGpuFormsStaysOnTheCpus) {
  const TrainedMlp mlp;
  Session session(options_);
  TaskGraph tasks = mlp.tasks({});
  assign_slots(tasks);
  StarpuExecutor executor(session, mlp.graph(), tasks);
  expect_close(losses_of(train(executor, mlp, 3)), on_cpus(mlp, {}, 3));
  for (std::size_t w = 0; w < session.workers().size(); ++w)
    EXPECT_EQ(executor.last_step().tasks_done[w] > 0, session.workers()[w].kind == "cpu");
}

}  // namespace
}  // namespace pleiad
