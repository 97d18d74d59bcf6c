#include "apps/cli/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/cli/flags.hpp"
#include "apps/cli/help.hpp"
#include "apps/cli/message.hpp"
#include "apps/cli/topics.hpp"
#include "apps/config/environment.hpp"
#include "apps/config/schema.hpp"
#include "expect_error.hpp"

namespace pleiad {
namespace {

using ::testing::HasSubstr;

Command parse(std::vector<const char*> words) { return parse_command(words); }
std::string error_of(std::vector<const char*> words) {
  return message_of(Exit::usage, [&] { parse_command(words); });
}

TEST(Command, ReadsFlagsInBothForms) {
  const auto c = parse({"-q", "train", "fmnist-mlp", "--name=x", "--train.batch", "64", "--optim.lr=1e-2", "--dry-run",
                        "--resume", "auto", "-C", "/tmp"});
  EXPECT_EQ(c.verb, "train");
  EXPECT_EQ(c.args, std::vector<std::string>{"fmnist-mlp"});
  EXPECT_TRUE(c.quiet && c.dry_run && !c.help);
  EXPECT_EQ(c.resume, "auto");
  EXPECT_EQ(c.directory, "/tmp");
  ASSERT_EQ(c.settings.size(), 3u);
  EXPECT_EQ(c.settings[0].key, "run.name");
  EXPECT_EQ(c.settings[1].text, "64");
  EXPECT_EQ(c.settings[2].text, "1e-2");
}

TEST(Command, ASwitchNeedsNoValueButTakesOne) {
  EXPECT_EQ(parse({"train", "--data.shuffle", "false"}).settings[0].text, "false");
  const auto c = parse({"train", "--numerics.deterministic", "my.toml"});
  EXPECT_EQ(c.settings[0].text, "true");
  EXPECT_EQ(c.args, std::vector<std::string>{"my.toml"});
}

TEST(Command, WithoutAVerbItIsHelp) {
  EXPECT_EQ(parse({}).verb, "help");
  EXPECT_EQ(parse({"--version"}).verb, "version");
  EXPECT_TRUE(parse({"config", "--help"}).help);
  EXPECT_TRUE(parse({"-h"}).help);
}

TEST(Command, MistakesSayWhatWasMeant) {
  EXPECT_THAT(error_of({"trian"}), HasSubstr("did you mean train?"));
  EXPECT_THAT(error_of({"train", "--train.batchsize", "3"}), HasSubstr("did you mean --train.batch?"));
  EXPECT_THAT(error_of({"train", "--resum", "auto"}), HasSubstr("did you mean --resume?"));
  EXPECT_THAT(error_of({"train", "--resume", "atuo"}), HasSubstr("did you mean auto?"));
  EXPECT_THAT(error_of({"machine", "--train.batch", "3"}), HasSubstr("unknown flag --train.batch for pleiad machine"));
  EXPECT_THAT(error_of({"--dry-run", "train"}), HasSubstr("unknown flag --dry-run"));
  EXPECT_THAT(error_of({"train", "-x"}), HasSubstr("unknown flag -x"));
  EXPECT_THAT(error_of({"train", "--"}), HasSubstr("unknown flag --"));
}

TEST(Command, RepeatedOrMissingValuesAreErrors) {
  EXPECT_THAT(error_of({"train", "--train.batch", "3", "--train.batch=4"}), HasSubstr("given twice"));
  EXPECT_THAT(error_of({"train", "--steps", "3", "--train.steps=4"}), HasSubstr("given twice"));
  EXPECT_THAT(error_of({"train", "--train.batch"}), HasSubstr("needs a value"));
  EXPECT_THAT(error_of({"train", "--dry-run=yes"}), HasSubstr("takes no value"));
  EXPECT_THAT(error_of({"train", "a", "b"}), HasSubstr("does not take \"b\""));
  EXPECT_THAT(error_of({"eval"}), HasSubstr("usage: pleiad eval RUN|CHECKPOINT"));
}

TEST(Help, ShowsEveryVerbFlagKeyAndTopic) {
  const auto main_page = help_text(""), train_page = help_text("train");
  for (const Verb& v : verbs()) EXPECT_THAT(main_page, HasSubstr(std::string(v.name)));
  for (const Topic& t : topics()) EXPECT_THAT(main_page, HasSubstr(std::string(t.name)));
  for (const Key& k : schema()) EXPECT_THAT(train_page, HasSubstr("--" + std::string(k.name)));
  for (const Flag& f : flags()) EXPECT_THAT(help_text(f.verbs.empty() ? "" : f.verbs), HasSubstr(std::string(f.name)));
  EXPECT_THAT(message_of(Exit::usage, [] { help_text("exitcodes"); }), HasSubstr("did you mean exit-codes?"));
}

TEST(Message, LabelsFillEightColumns) { EXPECT_EQ(labelled("error", "a\nb"), "error    a\n         b\n"); }

TEST(Message, ExceptionsBecomeExitCodes) {
  EXPECT_EQ(exit_code_of([] { return 7; }), 7);
  EXPECT_EQ(exit_code_of([]() -> int { throw Error(Exit::data, "x"); }), 3);
  EXPECT_EQ(exit_code_of([]() -> int { throw std::bad_alloc(); }), 5);
  EXPECT_EQ(exit_code_of([]() -> int { throw std::runtime_error("x"); }), 1);
}

TEST(Environment, DataPathPutsTheUsersFoldersFirst) {
  ::setenv("PLEIAD_DATA", "/a::/b", 1);
  ::setenv("PLEIAD_HOME", "/h", 1);
  ::setenv("PLEIAD_DEPS", "/deps", 1);
  const auto env = read_environment();
  EXPECT_EQ(env.data_path, (std::vector<std::filesystem::path>{"/a", "/b", "data", "/h/data", "/usr/share/datasets",
                                                               "/deps/data/sklearn"}));
  ::setenv("PLEIAD_LOG", "loud", 1);
  EXPECT_THAT(message_of(Exit::usage, [] { read_environment(); }), HasSubstr("PLEIAD_LOG"));
  for (const char* name : {"PLEIAD_DATA", "PLEIAD_HOME", "PLEIAD_DEPS", "PLEIAD_LOG"}) ::unsetenv(name);
}

}  // namespace
}  // namespace pleiad
