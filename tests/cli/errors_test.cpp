#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <fstream>

#include "pleiad_process.hpp"
#include "temporary_folder.hpp"

namespace pleiad {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class Errors : public testing::Test {
 protected:
  Finished run(const std::vector<std::string>& args) const { return run_pleiad(folder_.path(), args); }
  bool no_run_was_made() const { return !std::filesystem::exists(folder_.path() / "runs"); }
  TemporaryFolder folder_;
};

TEST_F(Errors, UnknownKeyNamesPlaceAndSuggestsTheRightOne) {
  folder_.write("my.toml", "extends = \"digits-mlp\"\n[train]\nbatchsize = 3\n");
  const auto r = run({"train", "my.toml"});
  EXPECT_EQ(r.code, 2);
  EXPECT_THAT(r.err, HasSubstr("my.toml:3:1: unknown key train.batchsize"));
  EXPECT_THAT(r.err, HasSubstr("did you mean train.batch?"));
  EXPECT_TRUE(no_run_was_made());
}

TEST_F(Errors, WrongTypeNamesPlaceAndType) {
  folder_.write("my.toml", "extends = \"digits-mlp\"\n[train]\nbatch = \"many\"\n");
  const auto r = run({"train", "my.toml"});
  EXPECT_EQ(r.code, 2);
  EXPECT_THAT(r.err, HasSubstr("my.toml:3:"));
  EXPECT_THAT(r.err, HasSubstr("train.batch"));
  EXPECT_TRUE(no_run_was_made());
}

TEST_F(Errors, UnknownSchedulerIsRefused) {
  const auto r = run({"train", "digits-mlp", "--schedule.policy", "dmdaz"});
  EXPECT_EQ(r.code, 2);
  EXPECT_THAT(r.err, HasSubstr("did you mean"));
  EXPECT_TRUE(no_run_was_made());
}

TEST_F(Errors, UnknownFlagAndVerbAndPreset) {
  EXPECT_EQ(run({"train", "digits-mlp", "--bach", "3"}).code, 2);
  EXPECT_EQ(run({"trian", "digits-mlp"}).code, 2);
  EXPECT_EQ(run({"train", "digits-mpl"}).code, 2);
  EXPECT_TRUE(no_run_was_made());
}

TEST_F(Errors, MissingDataSaysWhereItLookedAndWhatToInstall) {
  const auto r = run({"train", "--data.train", "no-such-data"});
  EXPECT_EQ(r.code, 3);
  EXPECT_THAT(r.err, HasSubstr("no-such-data"));
  EXPECT_TRUE(no_run_was_made());
}

TEST_F(Errors, TruncatedImagesAreNamed) {
  folder_.write("d/train-images-idx3-ubyte", std::string("\0\0\x08\x03\0\0\0\x0a\0\0\0\x02\0\0\0\x02xyz", 19));
  folder_.write("d/train-labels-idx1-ubyte", std::string("\0\0\x08\x01\0\0\0\x0a", 8) + std::string(10, '\1'));
  const auto r = run({"train", "--data.train", "d"});
  EXPECT_EQ(r.code, 3);
  EXPECT_THAT(r.err, HasSubstr("train-images-idx3-ubyte"));
  EXPECT_TRUE(no_run_was_made());
}

TEST_F(Errors, MoreWorkersThanCoresIsRefused) {
  write_blobs(folder_.path() / "blobs.csv");
  const auto r = run({"train", "--data.train", "blobs.csv", "--machine.cpus", "999"});
  EXPECT_EQ(r.code, 4);
  EXPECT_THAT(r.err, HasSubstr("999"));
}

TEST_F(Errors, NoPlanFitsSaysWhichBatchWould) {
  write_blobs(folder_.path() / "blobs.csv");
  const auto r = run({"train", "--data.train", "blobs.csv", "--memory.host", "3M", "--model.hidden", "[64]",
                      "--train.batch", "100000"});
  EXPECT_EQ(r.code, 5);
  EXPECT_THAT(r.err, HasSubstr("--train.batch"));
}

TEST_F(Errors, DivergenceEndsWithSixAndSaysWhatToTry) {
  write_blobs(folder_.path() / "blobs.csv");
  const auto r = run({"train", "--data.train", "blobs.csv", "--optim.kind", "sgd", "--optim.lr", "1e30"});
  EXPECT_EQ(r.code, 6);
  EXPECT_THAT(r.err, HasSubstr("--optim.lr"));
}

TEST_F(Errors, DamagedPlanIsNamed) {
  write_blobs(folder_.path() / "blobs.csv");
  folder_.write("plan.json", "{\"numerics\": 3");
  const auto r = run({"train", "--data.train", "blobs.csv", "--plan", "plan.json"});
  EXPECT_EQ(r.code, 3);
  EXPECT_THAT(r.err, HasSubstr("plan.json"));
}

TEST_F(Errors, FullDiskEndsWithAMessageAndLeavesNoHalfCheckpoint) {
  write_blobs(folder_.path() / "blobs.csv");
  const auto small = folder_.path() / "small";
  std::filesystem::create_directory(small);
  if (mount("tmpfs", small.c_str(), "tmpfs", 0, "size=1m") != 0) GTEST_SKIP() << "mounting a small tmpfs needs root";
  const auto r = run({"train", "--data.train", "blobs.csv", "--runs", "small", "--name", "full", "--model.hidden",
                      "[300,300]", "--steps", "30", "--checkpoint.every", "10"});
  EXPECT_EQ(r.code, 3);
  EXPECT_THAT(r.err, HasSubstr("No space left on device"));
  const auto eval = run({"eval", "small/full"});
  EXPECT_EQ(eval.code, 3) << eval.out;
  umount(small.c_str());
}

}  // namespace
}  // namespace pleiad
