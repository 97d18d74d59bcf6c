#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "pleiad_process.hpp"
#include "temporary_folder.hpp"

namespace pleiad {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

class TrainingRuns : public testing::Test {
 protected:
  void SetUp() override { write_blobs(folder_.path() / "blobs.csv"); }

  /// A small deterministic training of 60 steps.
  std::vector<std::string> args(const std::string& name, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all = {"train",
                                    "--data.train",
                                    "blobs.csv",
                                    "--model.hidden",
                                    "[32,16]",
                                    "--name",
                                    name,
                                    "--train.batch",
                                    "50",
                                    "--steps",
                                    "60",
                                    "--numerics.deterministic",
                                    "--model.dropout",
                                    "0.1",
                                    "--train.grad_clip",
                                    "1"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  Finished run(const std::vector<std::string>& words) const { return run_pleiad(folder_.path(), words); }
  fs::path run_folder(const std::string& name) const { return folder_.path() / "runs" / name; }
  /// Bytes of the weights and moments of a run's last checkpoint.
  std::string weights(const std::string& name) const {
    const auto latest = run_folder(name) / "ckpt" / "latest";
    return contents(latest / "model.safetensors") + contents(latest / "optimizer.safetensors");
  }
  std::vector<nlohmann::json> metrics(const std::string& name) const {
    std::vector<nlohmann::json> rows;
    std::istringstream lines(contents(run_folder(name) / "metrics.jsonl"));
    for (std::string line; std::getline(lines, line);) rows.push_back(nlohmann::json::parse(line));
    return rows;
  }
  TemporaryFolder folder_;
};

TEST_F(TrainingRuns, LeavesEverythingThatTheRunFolderPromises) {
  const auto r = run(args("a"));
  ASSERT_EQ(r.code, 0) << r.err;
  for (const char* file : {"run.json", "config.toml", "machine.json", "plan.json", "metrics.jsonl", "events.jsonl",
                           "log/rank0.log", "ckpt/latest/MANIFEST.json", "ckpt/LATEST"})
    EXPECT_TRUE(fs::exists(run_folder("a") / file)) << file;
  const auto facts = nlohmann::json::parse(contents(run_folder("a") / "run.json"));
  EXPECT_EQ(facts["state"], "done");
  EXPECT_EQ(metrics("a").back()["step"], 60);
  EXPECT_THAT(r.out, HasSubstr("predict"));
  EXPECT_THAT(r.out, testing::EndsWith("runs/a\n"));
}

TEST_F(TrainingRuns, SharesEachStepAmongCpuAndOpenclWorkers) {
  const std::vector<std::string> words = {
      "train", "--data.train",  "blobs.csv", "--model.hidden",   "[64,64,64]", "--steps",
      "40",    "--train.batch", "64",        "--machine.cpus",   "1",          "--optim.kind",
      "sgd",   "--optim.lr",    "0.1",       "--schedule.grain", "0us",        "--schedule.tiles.batch",
      "32"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), words.begin(), words.end());
    return run(more);
  };
  ASSERT_EQ(with({"--name", "cpu"}).code, 0);
  const auto r = with({"--name", "both", "--machine.opencl", "1", "--schedule.policy", "eager"});
  if (r.code == 4 && r.err.find("opencl") != std::string::npos) GTEST_SKIP() << r.err;
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("devices  opencl0 "));
  std::map<std::string, double> tasks;
  double in_mb = 0, out_mb = 0;
  for (const auto& row : metrics("both")) {
    for (const auto& [device, n] : row["tasks"].items()) tasks[device] += n.get<double>();
    in_mb += row["in_mb"]["opencl0"].get<double>();
    out_mb += row["out_mb"]["opencl0"].get<double>();
  }
  EXPECT_GT(tasks["cpu0"], 0);
  EXPECT_GT(tasks["opencl0"], 0);
  EXPECT_GT(in_mb, 0);
  EXPECT_GT(out_mb, 0);
  const double wanted = metrics("cpu").back()["val_loss"], loss = metrics("both").back()["val_loss"];
  EXPECT_NEAR(loss, wanted, 1e-4 * wanted);
  const auto refused = with({"--name", "c", "--machine.opencl", "1", "--numerics.deterministic"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("needs workers of one kind"));
  EXPECT_EQ(run({"eval", "runs/cpu", "--machine.opencl", "1", "--numerics.deterministic"}).code, 2);
  EXPECT_EQ(with({"--name", "d", "--machine.opencl", "63"}).code, 4);
}

TEST_F(TrainingRuns, EveryOptimizerLearnsAndResumes) {
  for (const std::string kind : {"momentum", "lion", "lamb", "adafactor"}) {
    const std::vector<std::string> more = {"--optim.kind", kind, "--optim.lr", kind == "lion" ? "1e-3" : "1e-2"};
    ASSERT_EQ(run(args(kind, more)).code, 0) << kind;
    const auto rows = metrics(kind);
    EXPECT_LT(rows.back()["val_loss"].get<double>(), std::log(3.0)) << kind << " is no better than guessing";
    auto half = more, rest = more;
    half.insert(half.end(), {"--checkpoint.every", "30"});
    ASSERT_EQ(run(args(kind + "-again", half)).code, 0);
    fs::remove_all(run_folder(kind + "-again") / "ckpt" / "step-000060");
    rest.insert(rest.end(), {"--resume", "must"});
    ASSERT_EQ(run(args(kind + "-again", rest)).code, 0) << kind;
    EXPECT_EQ(weights(kind + "-again"), weights(kind)) << kind;
  }
}

TEST_F(TrainingRuns, LearnsAndEvaluatesToTheAccuracyItReported) {
  ASSERT_EQ(run(args("a", {"--steps=300"})).code, 2) << "a repeated flag is an error";
  ASSERT_EQ(run({"train", "--data.train", "blobs.csv", "--model.hidden", "[32]", "--name", "b", "--epochs", "20"}).code,
            0);
  const double reported = metrics("b").back()["val_acc"];
  EXPECT_GT(reported, 0.7);
  const auto eval = run({"eval", "runs/b", "--json"});
  ASSERT_EQ(eval.code, 0) << eval.err;
  EXPECT_DOUBLE_EQ(nlohmann::json::parse(eval.out)["accuracy"].get<double>(), reported);
}

TEST_F(TrainingRuns, OnePlanGivesTheSameBitsWhateverRunsIt) {
  ASSERT_EQ(run(args("two", {"--schedule.tiles.batch", "[17,13,12,8]"})).code, 0);
  const auto plan = (run_folder("two") / "plan.json").string();
  for (const std::string policy : {"prio", "dmdas", "lws", "eager", "sequential"})
    for (const std::string cpus : {"1", "2"}) {
      const auto name = policy + cpus;
      const auto r = run(args(name, {"--plan", plan, "--schedule.policy", policy, "--machine.cpus", cpus}));
      ASSERT_EQ(r.code, 0) << r.err;
      EXPECT_TRUE(weights(name) == weights("two")) << name;
      EXPECT_EQ(metrics(name).back()["loss"], metrics("two").back()["loss"]) << name;
    }
}

TEST_F(TrainingRuns, UnequalTilesGiveTheSameLoss) {
  ASSERT_EQ(run(args("equal", {"--schedule.tiles.batch", "[25,25]"})).code, 0);
  ASSERT_EQ(run(args("unequal", {"--schedule.tiles.batch", "[39,11]"})).code, 0);
  const double equal = metrics("equal").back()["loss"], unequal = metrics("unequal").back()["loss"];
  EXPECT_NEAR(unequal / equal, 1, 1e-5);
}

TEST_F(TrainingRuns, SurvivesTwentyKillsAtRandomMomentsBitForBit) {
  constexpr int kKills = 20;
  const auto words = [&](const std::string& name, const std::vector<std::string>& more) {
    auto all = args(name, more);
    std::ranges::replace(all, std::string("60"), std::string("1200"));
    return all;
  };
  ASSERT_EQ(run(words("whole", {})).code, 0);
  const auto plan = (run_folder("whole") / "plan.json").string();
  const auto resumed = words("killed", {"--plan", plan, "--resume", "auto", "--checkpoint.every", "25"});
  std::mt19937 random(11);
  for (int kills = 0; kills < kKills;) {
    PleiadProcess process(folder_.path(), resumed);
    usleep(static_cast<useconds_t>(50'000 + random() % 300'000));
    process.signal(SIGKILL);
    const int code = process.finish().code;
    ASSERT_TRUE(code == 128 + SIGKILL || code == 0) << code;
    kills += code == 128 + SIGKILL;
    if (code == 0) fs::remove_all(run_folder("killed"));  // too fast: from the start again
  }
  const auto last = run(resumed);
  ASSERT_EQ(last.code, 0) << last.err;
  EXPECT_TRUE(weights("killed") == weights("whole"));
}

TEST_F(TrainingRuns, StopsOnSignalsWithACheckpointAndGoesOnExactly) {
  const auto words = [&](const std::string& name) {
    return std::vector<std::string>{"train",         "--data.train", "blobs.csv", "--name", name,
                                    "--train.batch", "300",          "--steps",   "5000",   "--model.hidden",
                                    "[500,500]",     "--log.every",  "1"};
  };
  for (const int number : {SIGTERM, SIGUSR2, SIGINT}) {
    const auto name = "signal" + std::to_string(number);
    PleiadProcess process(folder_.path(), words(name));
    ASSERT_TRUE(process.wait_for(run_folder(name) / "metrics.jsonl"));
    process.signal(number);
    const auto r = process.finish();
    ASSERT_EQ(r.code, 75) << r.out << r.err;
    EXPECT_TRUE(fs::exists(run_folder(name) / "ckpt/latest/MANIFEST.json"));
    EXPECT_EQ(nlohmann::json::parse(contents(run_folder(name) / "run.json"))["state"], "stopped");
  }
}

TEST_F(TrainingRuns, ANameInUseIsRefusedAndBothChoicesSaid) {
  ASSERT_EQ(run(args("a", {"--checkpoint.every", "20"})).code, 0);
  const auto again = run(args("a"));
  EXPECT_EQ(again.code, 2);
  EXPECT_THAT(again.err, HasSubstr("--resume"));
  EXPECT_THAT(again.err, HasSubstr("--name"));
}

TEST_F(TrainingRuns, ADamagedCheckpointIsNotLoaded) {
  ASSERT_EQ(run(args("a")).code, 0);
  const auto file = run_folder("a") / "ckpt/latest/model.safetensors";
  std::string bytes = contents(file);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  folder_.write("runs/a/ckpt/latest/model.safetensors", bytes);
  const auto r = run({"eval", "runs/a"});
  EXPECT_EQ(r.code, 3);
  EXPECT_THAT(r.err, HasSubstr("model.safetensors"));
}

TEST_F(TrainingRuns, DryRunPredictsAndWritesNothing) {
  auto words = args("a");
  words.push_back("--dry-run");
  const auto r = run(words);
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("ms a step"));
  EXPECT_FALSE(fs::exists(folder_.path() / "runs"));
}

}  // namespace
}  // namespace pleiad
