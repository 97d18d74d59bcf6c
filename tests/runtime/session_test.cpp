#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "expect_error.hpp"
#include "models.hpp"
#include "runtime/policy.hpp"
#include "runtime/session.hpp"
#include "temporary_folder.hpp"

namespace pleiad {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Session, BindsOneWorkerToEachCore) {
  const std::vector<int> cores = usable_cores();
  SessionOptions options = testing::session_options(1, "auto");
  options.cores = {cores.back()};
  Session session(options);
  ASSERT_EQ(session.workers().size(), 1u);
  EXPECT_EQ(session.workers()[0].name, "cpu0");
  EXPECT_EQ(session.workers()[0].kind, "cpu");
  EXPECT_EQ(session.workers()[0].core, cores.back());
  EXPECT_EQ(session.policy(), "prio");
  EXPECT_THAT(Session::version(), HasSubstr("1.4."));
}

TEST(Session, TakesAllUsableCoresUnlessTold) { EXPECT_EQ(Session({}).workers().size(), usable_cores().size()); }

TEST(Session, RefusesACoreThatIsNotThere) {
  EXPECT_THAT(message_of(Exit::hardware, [] { Session({.cores = {99999}}); }), HasSubstr("core 99999"));
}

TEST(Session, RefusesAnUnknownPolicyAndSuggestsOne) {
  const std::string message = message_of(Exit::usage, [] { Session({.policy = "dmdaz"}); });
  EXPECT_THAT(message, HasSubstr("unknown scheduling policy dmdaz"));
  EXPECT_THAT(message, HasSubstr("did you mean dmda"));
  EXPECT_THAT(message, HasSubstr("prio"));
}

TEST(Session, ListsPoliciesThatRunOneTaskOnOneWorker) {
  for (const char* name : {"auto", "prio", "lws", "eager", "dmda", "dmdas", "heteroprio"})
    EXPECT_THAT(Session::policies(), Contains(name));
  EXPECT_THAT(Session::policies(), Not(Contains("peager")));
}

TEST(Session, IsOneAtATime) {
  Session session(testing::session_options(1, "eager"));
  EXPECT_THAT(message_of(Exit::internal, [] { Session({}); }), HasSubstr("second"));
}

TEST(Session, LetsTheUsersVariablesWin) {
  setenv("STARPU_NCPU", "1", 1);
  setenv("STARPU_SCHED", "lws", 1);
  {
    Session session(testing::session_options(0, "eager"));
    EXPECT_EQ(session.workers().size(), 1u);
    EXPECT_EQ(session.policy(), "lws");
    EXPECT_THAT(session.overridden(), ElementsAre("STARPU_NCPU=1", "STARPU_SCHED=lws"));
  }
  setenv("STARPU_SCHED", "nonsense", 1);
  EXPECT_THAT(message_of(Exit::usage, [] { Session({}); }), HasSubstr("nonsense"));
  unsetenv("STARPU_NCPU");
  unsetenv("STARPU_SCHED");
}

TEST(Session, KeepsModelsInItsFolderAndLeavesTheEnvironmentAsItWas) {
  TemporaryFolder folder;
  SessionOptions options = testing::session_options(1, "dmda");
  options.model_folder = (folder.path() / "perf" / "starpu").string();
  { Session session(options); }
  EXPECT_TRUE(std::filesystem::is_directory(options.model_folder));
  EXPECT_EQ(getenv("STARPU_PERF_MODEL_DIR"), nullptr);
  EXPECT_THAT(Session(testing::session_options(1, "dmda")).overridden(), ElementsAre());
}

TEST(Session, SaysWhenTheModelFolderCannotBeMade) {
  TemporaryFolder folder;
  SessionOptions options{.model_folder = folder.write("file", "") + "/models"};
  EXPECT_THAT(message_of(Exit::data, [&] { Session session(options); }), HasSubstr(options.model_folder));
}

TEST(Session, PausesAndEndsWhilePaused) {
  Session session(testing::session_options(1, "prio"));
  session.pause();
  session.pause();
  session.resume();
  session.pause();
}

TEST(Nearest, TakesTheFewestEdits) {
  EXPECT_EQ(nearest("dmdsa", {"prio", "dmdas", "eager"}), "dmdas");
  EXPECT_EQ(nearest("priority", {"prio", "dmdas", "eager"}), "prio");
}

}  // namespace
}  // namespace pleiad
