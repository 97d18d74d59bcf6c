#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "pleiad_process.hpp"
#include "temporary_folder.hpp"

namespace pleiad {
namespace {

using testing::HasSubstr;

/// A text whose next letter is certain: the alphabet again and again.
class LanguageModels : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    std::ofstream text(folder_.path() / "alphabet.txt");
    for (int i = 0; i < 20000; ++i) text << static_cast<char>('a' + i % 26);
  }
  Finished train(const std::string& name, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all = {"train",
                                    "--data.train",
                                    "alphabet.txt",
                                    "--model.kind",
                                    GetParam(),
                                    "--model.width",
                                    "32",
                                    "--model.layers",
                                    "1",
                                    "--model.context",
                                    "16",
                                    "--train.batch",
                                    "16",
                                    "--optim.lr",
                                    "1e-2",
                                    "--steps",
                                    "120",
                                    "--name",
                                    name};
    if (std::string(GetParam()) == "gpt2") all.insert(all.end(), {"--model.heads", "2"});
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  }
  Finished run(const std::vector<std::string>& words) const { return run_pleiad(folder_.path(), words); }
  std::string weights(const std::string& name) const {
    return contents(folder_.path() / "runs" / name / "ckpt" / "latest" / "model.safetensors");
  }
  TemporaryFolder folder_;
};

TEST_P(LanguageModels, LearnTheTextAndGoOnWithIt) {
  const auto trained = train("a");
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_THAT(trained.out, HasSubstr("16 tokens"));
  const auto text = run({"sample", "a", "--prompt", "abcdefghijklmnop", "--tokens", "12", "--temperature", "0"});
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_EQ(text.out, "abcdefghijklmnopqrstuvwxyzab\n");
  const auto eval = run({"eval", "a", "--json"});
  ASSERT_EQ(eval.code, 0) << eval.err;
  const auto score = nlohmann::json::parse(eval.out);
  EXPECT_GT(score["accuracy"], 0.9);
  EXPECT_LT(score["loss"], 1);
}

TEST_P(LanguageModels, GiveTheSameBitsWithAnySchedulerAndAfterAPause) {
  const std::vector<std::string> fixed{"--numerics.deterministic", "--model.dropout", "0.1"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), fixed.begin(), fixed.end());
    return more;
  };
  ASSERT_EQ(train("whole", with({})).code, 0);
  const std::string plan = "runs/whole/plan.json";
  ASSERT_EQ(train("alone", with({"--plan", plan, "--schedule.policy", "sequential"})).code, 0);
  ASSERT_EQ(train("lws", with({"--plan", plan, "--schedule.policy", "lws"})).code, 0);
  ASSERT_EQ(train("paused", with({"--plan", plan, "--checkpoint.every", "50"})).code, 0);
  std::filesystem::remove_all(folder_.path() / "runs/paused/ckpt/step-000120");
  std::filesystem::remove(folder_.path() / "runs/paused/ckpt/latest");
  ASSERT_EQ(train("paused", with({"--resume", "must"})).code, 0);
  EXPECT_EQ(weights("whole"), weights("alone"));
  EXPECT_EQ(weights("whole"), weights("lws"));
  EXPECT_EQ(weights("whole"), weights("paused"));
}

INSTANTIATE_TEST_SUITE_P(Kinds, LanguageModels, testing::Values("lstm", "gpt2"),
                         [](const auto& kind) { return std::string(kind.param); });

class TextErrors : public testing::Test {
 protected:
  Finished run(const std::vector<std::string>& words) const { return run_pleiad(folder_.path(), words); }
  TemporaryFolder folder_;
};

TEST_F(TextErrors, AKeyOfAnotherKindOfNetwork) {
  const auto r = run({"train", "fmnist-mlp", "--model.heads", "2"});
  EXPECT_EQ(r.code, 2);
  EXPECT_THAT(r.err, HasSubstr("model.heads means nothing to model.kind = mlp"));
}

TEST_F(TextErrors, SamplesFromWhatIsNoLanguageModel) {
  write_blobs(folder_.path() / "blobs.csv");
  ASSERT_EQ(run({"train", "--data.train", "blobs.csv", "--steps", "2", "--name", "a"}).code, 0);
  const auto r = run({"sample", "a"});
  EXPECT_EQ(r.code, 2);
  EXPECT_THAT(r.err, HasSubstr("is no language model but mlp"));
  EXPECT_EQ(run({"sample", "b"}).code, 3);
}

TEST_F(TextErrors, ValuesOfSample) {
  for (const char* flag : {"--tokens", "--temperature", "--top-k", "--seed"}) {
    const auto r = run({"sample", "a", flag, "-1"});
    EXPECT_EQ(r.code, 2) << flag;
    EXPECT_THAT(r.err, HasSubstr(flag));
  }
}

TEST_F(TextErrors, ATextShorterThanASample) {
  folder_.write("short.txt", "to be or not to be");
  const auto r = run({"train", "--model.kind", "lstm", "--data.train", "short.txt", "--model.context", "64"});
  EXPECT_EQ(r.code, 3);
  EXPECT_THAT(r.err, HasSubstr("--model.context"));
}

}  // namespace
}  // namespace pleiad
