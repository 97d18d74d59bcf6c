#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>

#include "apps/run/console.hpp"
#include "apps/run/file.hpp"
#include "apps/run/metrics.hpp"
#include "apps/run/name.hpp"
#include "apps/run/run_directory.hpp"
#include "expect_error.hpp"
#include "temporary_folder.hpp"

namespace pleiad {
namespace {

namespace fs = std::filesystem;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

class Run : public ::testing::Test {
 protected:
  RunDirectory open(const std::string& name, Resume resume = Resume::never) {
    return RunDirectory::open({folder_.path() / "runs", name, "my title", resume, {"train", "x"}});
  }
  std::string error_of(Exit exit, const std::string& name, Resume resume) {
    return message_of(exit, [&] { open(name, resume); });
  }
  fs::path path() const { return folder_.path() / "runs"; }
  TemporaryFolder folder_;
};

TEST_F(Run, ANewRunHasItsFoldersAndARecord) {
  auto run = open("a");
  EXPECT_EQ(run.path(), path() / "a");
  EXPECT_TRUE(fs::is_directory(run.path() / "log") && fs::is_directory(run.checkpoints()));
  const auto record = read_run_record(run.path());
  EXPECT_EQ(record.state, "running");
  EXPECT_EQ(record.argv, (std::vector<std::string>{"train", "x"}));
  EXPECT_EQ(record.segments.at(0).pid, ::getpid());
  EXPECT_FALSE(run.is_resumed());
}

TEST_F(Run, MadeUpNamesAreFree) {
  auto a = open(""), b = open("");
  EXPECT_NE(a.path(), b.path());
  EXPECT_THAT(a.record().name, MatchesRegex("my-title-[0-9]{4}-[a-z][0-9]"));
  EXPECT_THAT(made_up_run_name(""), StartsWith("run-"));
  EXPECT_THAT(made_up_run_name("../x"), StartsWith("x-"));
}

TEST_F(Run, NamesThatAreNoFolderAreRefused) {
  for (const char* name : {"..", "a/b", "-x", ".hidden", "a b", "\n"})
    EXPECT_THAT(error_of(Exit::usage, name, Resume::never), HasSubstr("cannot be the name")) << name;
}

TEST_F(Run, AnUnfinishedRunIsRefusedUnlessResumed) {
  { auto run = open("a"); }
  const auto message = error_of(Exit::usage, "a", Resume::never);
  EXPECT_THAT(message, HasSubstr("exists already and is not finished"));
  EXPECT_THAT(message, HasSubstr("--resume auto"));
  EXPECT_THAT(message, HasSubstr("--name OTHER"));
  auto run = open("a", Resume::automatic);
  EXPECT_TRUE(run.is_resumed());
  EXPECT_EQ(run.segment(), 1);
}

TEST_F(Run, MustResumeNeedsACheckpoint) {
  EXPECT_THAT(error_of(Exit::data, "a", Resume::must), HasSubstr("has no checkpoint"));
  EXPECT_FALSE(fs::exists(path() / "a"));
  EXPECT_THAT(error_of(Exit::usage, "", Resume::automatic), HasSubstr("--name NAME"));
  { auto run = open("a", Resume::automatic); }
  folder_.write("runs/a/ckpt/LATEST", "step-000001\n");
  EXPECT_TRUE(open("a", Resume::must).is_resumed());
}

TEST_F(Run, AFolderThatIsNoRunIsLeftAlone) {
  folder_.write("runs/a/precious.txt", "x");
  EXPECT_THAT(error_of(Exit::usage, "a", Resume::automatic), HasSubstr("is no run"));
  folder_.write("runs/b/run.json", "{\"id\": 3}");
  EXPECT_THAT(error_of(Exit::data, "b", Resume::automatic), HasSubstr("run.json is damaged"));
}

TEST_F(Run, TwoProcessesCannotTrainTheSameRun) {
  auto run = open("a");
  EXPECT_THAT(error_of(Exit::usage, "a", Resume::automatic), HasSubstr("by another process"));
}

TEST_F(Run, TheEndIsRecorded) {
  {
    auto run = open("a");
    run.begin_at(0);
    run.finish(Exit::requeue, 30, "TERM");
    EXPECT_EQ(read_run_record(run.path()).state, "stopped");
  }
  auto run = open("a", Resume::automatic);
  run.begin_at(30);
  run.finish(Exit::ok, 50, "finished");
  const auto record = read_run_record(run.path());
  EXPECT_EQ(record.state, "done");
  EXPECT_EQ(record.exit_code, 0);
  EXPECT_EQ(record.segments.at(0).stop, "TERM");
  EXPECT_EQ(record.segments.at(1).first_step, 30);
  EXPECT_EQ(record.segments.at(1).last_step, 50);
}

TEST_F(Run, AFailureIsRecordedWithItsCode) {
  auto run = open("a");
  run.finish(Exit::diverged, 3, "loss is nan");
  EXPECT_EQ(read_run_record(run.path()).state, "failed");
  EXPECT_EQ(read_run_record(run.path()).exit_code, 6);
}

TEST_F(Run, WhereNothingCanBeWrittenTheErrorSaysWhatToDo) {
  folder_.write("runs", "a file");
  EXPECT_THAT(error_of(Exit::data, "a", Resume::never), HasSubstr("cannot create folder"));
}

TEST_F(Run, MetricsAreLinesOfJson) {
  {
    RunLog log(folder_.path());
    log.metrics({.segment = 1, .step = 5, .loss = NAN, .gnorm = 0.5, .busy = {{"cpu", 0.9}}});
    log.event("checkpoint", {{"step", Index{5}}, {"path", "ckpt/step-000005"}, {"seconds", 0.25}});
  }
  const auto metrics = contents_of(folder_.path() / "metrics.jsonl"),
             events = contents_of(folder_.path() / "events.jsonl");
  EXPECT_THAT(metrics, HasSubstr("\"seg\":1,\"step\":5,"));
  EXPECT_THAT(metrics, HasSubstr("\"loss\":null"));
  EXPECT_THAT(metrics, HasSubstr("\"busy\":{\"cpu\":0.9}"));
  EXPECT_THAT(metrics, Not(HasSubstr("pred_ms")));
  EXPECT_THAT(metrics, EndsWith("}\n"));
  EXPECT_THAT(events, HasSubstr("\"event\":\"checkpoint\",\"path\":\"ckpt/step-000005\",\"seconds\":0.25,\"step\":5"));
}

TEST_F(Run, ResumingMovesLaterMetricsAway) {
  const auto file = folder_.write("metrics.jsonl", "{\"step\":10}\n{\"step\":20}\nrubbish\n{\"step\":30}\n{\"step\":4");
  rewind_metrics(folder_.path(), 20);
  EXPECT_EQ(contents_of(file), "{\"step\":10}\n{\"step\":20}\n");
  EXPECT_EQ(contents_of(folder_.path() / "metrics.rewound.jsonl"), "{\"step\":30}\n");
  rewind_metrics(folder_.path(), 10);
  rewind_metrics(folder_.path(), 10);
  EXPECT_EQ(contents_of(folder_.path() / "metrics.rewound.jsonl"), "{\"step\":30}\n{\"step\":20}\n");
}

TEST(File, AtomicWritesLeaveNoTemporaryFiles) {
  TemporaryFolder folder;
  write_file_atomically(folder.path() / "a", "one");
  write_file_atomically(folder.path() / "a", "two");
  EXPECT_EQ(read_file(folder.path() / "a"), "two");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
  EXPECT_THAT(message_of(Exit::data, [&] { write_file_atomically(folder.path() / "no" / "a", ""); }),
              HasSubstr("No such file"));
  EXPECT_THAT(message_of(Exit::data, [&] { read_file(folder.path()); }), HasSubstr("Is a directory"));
}

TEST(File, AFullDiskIsAnErrorThatSaysWhatToDo) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  OutputFile file("/dev/full", OutputFile::Mode::append);
  EXPECT_THAT(message_of(Exit::data, [&] { file.write(std::as_bytes(std::span("x"))); }),
              ::testing::AllOf(HasSubstr("cannot write /dev/full: No space left on device"), HasSubstr("--runs DIR")));
}

/// What a console writes.
class ConsoleOutput : public ::testing::Test {
 protected:
  ConsoleOutput() : out_(std::tmpfile()) {}
  ~ConsoleOutput() override { std::fclose(out_); }
  std::string text() {
    std::rewind(out_);
    std::string result;
    for (int c = 0; (c = std::fgetc(out_)) != EOF;) result += static_cast<char>(c);
    return result;
  }
  static std::size_t lines(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }
  std::FILE* out_;
};

TEST_F(ConsoleOutput, LinesComeAtMostEveryTenSecondsAndTheLastAlways) {
  TemporaryFolder folder;
  Console console({.out = out_});
  console.log_to(folder.path() / "rank0.log");
  for (int s = 0; s <= 25; ++s) console.progress({.step = s, .loss = 1}, 100.0 + s);
  console.end_progress();
  console.end_progress();
  EXPECT_EQ(lines(text()), 4u) << text();
  EXPECT_THAT(text(),
              MatchesRegex("[0-9:]{8} step     0 .*\n.* step     10 .*\n.* step     20 .*\n.* step     25 .*\n"));
  EXPECT_THAT(text(), Not(HasSubstr("\r")));
  EXPECT_EQ(contents_of(folder.path() / "rank0.log"), text());
}

TEST_F(ConsoleOutput, ATableKeepsRowsWithATest) {
  Console console({.out = out_, .table = true});
  console.say("data", "x");
  console.progress({.step = 1, .lr = 1e-3, .samples_per_s = 25900}, 0);
  console.progress({.step = 468,
                    .epoch = 1,
                    .loss = 0.4794,
                    .accuracy = 0.848,
                    .lr = 1e-3,
                    .samples_per_s = 25900,
                    .step_ms = 4.94,
                    .pred_ms = 4.9,
                    .busy = 0.93},
                   1);
  console.say("done", "y");
  EXPECT_THAT(
      text(),
      StartsWith("data     x\n\n   step   epoch    loss  test acc      lr  samples/s  step ms   (pred)   busy\n"));
  EXPECT_THAT(
      text(),
      EndsWith("\r\x1b[K    468    1.00  0.4794    84.8 %  1.0e-3     25,900     4.94   (4.90)   93 %\ndone     y\n"));
}

TEST_F(ConsoleOutput, AnOpenTableRowIsEndedBeforeOtherText) {
  Console console({.out = out_, .table = true});
  console.progress({.step = 1}, 0);
  console.say("note", "z");
  EXPECT_THAT(text(), HasSubstr("0 %\nnote     z\n"));
}

TEST_F(ConsoleOutput, QuietKeepsTheLastLine) {
  Console console({.out = out_, .quiet = true});
  console.say("data", "x");
  console.progress({.step = 1}, 0);
  console.end_progress();
  console.say_always("run", "runs/a");
  EXPECT_THAT(text(), MatchesRegex("[0-9:]{8} run      runs/a\n"));
}

TEST(ConsoleFormat, Thousands) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(25900), "25,900");
  EXPECT_EQ(with_commas(-1234567.4), "-1,234,567");
  EXPECT_EQ(with_commas(-123), "-123");
}

}  // namespace
}  // namespace pleiad
