#include "apps/checkpoint/checkpoint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <random>

#include "expect_error.hpp"
#include "temporary_folder.hpp"

namespace pleiad {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

constexpr std::size_t kNumbers = 3000;

/// A checkpoint whose numbers all say its step.
fs::path write_step(const fs::path& folder, Index step, Retention retention = {}) {
  const std::vector<float> numbers(kNumbers, static_cast<float>(step));
  const std::vector<NamedTensor> model = {{"fc1.weight", DType::f32, {30, 100}, std::as_bytes(std::span(numbers))}};
  const std::vector<NamedTensor> optimizer = {
      {"exp_avg.fc1.weight", DType::f32, {30, 100}, std::as_bytes(std::span(numbers))}};
  TrainingState state;
  state.step = step;
  state.samples = step * 128;
  state.lr = 0.1;
  state.data_hash = 0xfedcba9876543210;
  return write_checkpoint(folder, {{}, {28, 28}, 10, DType::f32}, state, model, optimizer, retention);
}

void expect_step(const LoadedCheckpoint& checkpoint, Index step) {
  EXPECT_EQ(checkpoint.state.step, step);
  for (const auto* tensor : {&checkpoint.model.at("fc1.weight", DType::f32, {30, 100}),
                             &checkpoint.optimizer.at("exp_avg.fc1.weight", DType::f32, {30, 100})})
    for (std::size_t i = 0; i < kNumbers; ++i) {
      float number = 0;
      std::memcpy(&number, tensor->data.data() + i * sizeof number, sizeof number);
      ASSERT_EQ(number, static_cast<float>(step));
    }
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
  return names;
}

class Checkpoint : public ::testing::Test {
 protected:
  LoadedCheckpoint load_latest() const { return load_checkpoint(*latest_checkpoint(path())); }
  std::string error_of_latest() const {
    return message_of(Exit::data, [&] { load_latest(); });
  }
  fs::path path() const { return folder_.path() / "ckpt"; }
  void flip_byte(const fs::path& file, std::size_t at) const {
    auto text = contents_of(file);
    text[at] = static_cast<char>(text[at] ^ 1);
    std::ofstream(file, std::ios::binary) << text;
  }
  TemporaryFolder folder_;
};

TEST_F(Checkpoint, EverythingWrittenReadsBack) {
  EXPECT_FALSE(latest_checkpoint(path()));
  EXPECT_EQ(write_step(path(), 400), path() / "step-000400");
  const auto loaded = load_latest();
  expect_step(loaded, 400);
  EXPECT_EQ(loaded.state.samples, 400 * 128);
  EXPECT_EQ(loaded.state.data_hash, 0xfedcba9876543210);
  EXPECT_EQ(loaded.state.lr, 0.1);
  EXPECT_FALSE(loaded.state.best_accuracy);
  EXPECT_EQ(loaded.card.sample_shape, (Shape{28, 28}));
  EXPECT_EQ(loaded.card.classes, 10);
  EXPECT_EQ(loaded.card.model.hidden, ModelConfig{}.hidden);
  EXPECT_THAT(names_in(path()), UnorderedElementsAre("step-000400", "latest", "LATEST"));
  EXPECT_EQ(fs::read_symlink(path() / "latest"), "step-000400");
  EXPECT_EQ(contents_of(path() / "LATEST"), "step-000400\n");
}

TEST_F(Checkpoint, OldOnesGoExceptMilestones) {
  for (Index step = 10; step <= 80; step += 10) write_step(path(), step, {2, 30});
  EXPECT_THAT(names_in(path()),
              UnorderedElementsAre("step-000030", "step-000060", "step-000070", "step-000080", "latest", "LATEST"));
}

TEST_F(Checkpoint, TheSameStepMayBeWrittenAgain) {
  write_step(path(), 10);
  flip_byte(path() / "step-000010/model.safetensors", 500);
  write_step(path(), 10);
  expect_step(load_latest(), 10);
  EXPECT_THAT(names_in(path()), UnorderedElementsAre("step-000010", "latest", "LATEST"));
}

TEST_F(Checkpoint, AnyDamageIsFoundAndNamed) {
  const auto step = path() / "step-000010";
  for (const char* name : {"config.json", "model.safetensors", "optimizer.safetensors", "state.json"}) {
    write_step(path(), 10);
    flip_byte(step / name, 20);
    EXPECT_THAT(error_of_latest(), HasSubstr(std::string(name) + " is damaged: checksum"));
    fs::resize_file(step / name, 21);
    EXPECT_THAT(error_of_latest(), HasSubstr(std::string(name) + " is damaged: 21 bytes, the manifest says"));
    fs::remove(step / name);
    EXPECT_THAT(error_of_latest(), HasSubstr(std::string(name) + " is missing"));
  }
  write_step(path(), 10);
  fs::remove(step / "MANIFEST.json");
  EXPECT_THAT(error_of_latest(), HasSubstr("is no complete checkpoint: it has no MANIFEST.json"));
  for (const char* text : {"", "{}", "[]", "{\"format\":1,\"files\":{}}", "{\"format\":2,\"files\":{}}",
                           "{\"format\":1,\"files\":{\"state.json\":{\"size\":-1,\"xxh3\":3}}}"}) {
    std::ofstream(step / "MANIFEST.json") << text;
    EXPECT_THAT(error_of_latest(), HasSubstr("MANIFEST.json"));
  }
}

TEST_F(Checkpoint, FallsBackOnlyWhenAskedAndSaysWhatWasSkipped) {
  for (const Index step : {10, 20, 30}) write_step(path(), step);
  flip_byte(path() / "step-000030/model.safetensors", 500);
  fs::remove(path() / "step-000020/MANIFEST.json");
  EXPECT_THAT(error_of_latest(), HasSubstr("step-000030"));
  std::vector<std::string> skipped;
  expect_step(*load_newest_valid(path(), skipped), 10);
  EXPECT_THAT(skipped, ElementsAre(HasSubstr("step-000030"), HasSubstr("step-000020")));
  write_step(path(), 15);
  expect_step(load_latest(), 15);
  skipped.clear();
  expect_step(*load_newest_valid(path(), skipped), 15);
  EXPECT_TRUE(skipped.empty());
}

TEST_F(Checkpoint, AllDamagedIsAnErrorAndNoneIsNot) {
  std::vector<std::string> skipped;
  EXPECT_FALSE(load_newest_valid(path(), skipped));
  write_step(path(), 10);
  fs::remove(path() / "step-000010/MANIFEST.json");
  EXPECT_THAT(message_of(Exit::data, [&] { load_newest_valid(path(), skipped); }), HasSubstr("no checkpoint in"));
}

TEST_F(Checkpoint, WithoutItsPointerTheHighestStepIsTheLatest) {
  for (const Index step : {10, 20}) write_step(path(), step);
  fs::remove(path() / "LATEST");
  expect_step(load_latest(), 20);
  std::ofstream(path() / "LATEST") << "../../etc\n";
  expect_step(load_latest(), 20);
}

TEST_F(Checkpoint, AFolderThatCannotBeWrittenIsAnErrorAndLeavesTheLastOne) {
  write_step(path(), 10);
  folder_.write("file", "");
  EXPECT_THAT(message_of(Exit::data, [&] { write_step(folder_.path() / "file", 20); }), HasSubstr("cannot"));
  expect_step(load_latest(), 10);
}

/// Writes checkpoint after checkpoint until it is killed.
[[noreturn]] void write_for_ever(const fs::path& folder, Index step) {
  try {
    while (true) write_step(folder, step++, {2, 0});
  } catch (...) {
    ::_exit(1);
  }
}

TEST_F(Checkpoint, KillAtAnyMomentLeavesTheLatestWhole) {
  std::mt19937 random(7);
  Index step = 1;
  const auto begin = std::chrono::steady_clock::now();
  write_step(path(), step);
  const std::chrono::duration<double, std::micro> one_write = std::chrono::steady_clock::now() - begin;
  double writes = 3;  // the longest wait; grows where the machine has become too slow to write in it
  for (int kill_number = 0; kill_number < 20 || step == 1; ++kill_number) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) write_for_ever(path(), step + 1);
    ::usleep(static_cast<useconds_t>(std::uniform_real_distribution<>(0, writes)(random) * one_write.count()));
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the writer failed by itself";
    const auto loaded = load_latest();
    EXPECT_GE(loaded.state.step, step);
    if (loaded.state.step == step) writes *= 1.2;
    step = loaded.state.step;
    expect_step(loaded, step);
  }
}

}  // namespace
}  // namespace pleiad
