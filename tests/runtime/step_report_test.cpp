#include "runtime/step_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pleiad {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;

TEST(StepReport, BusyIsTimeInsideKernels) {
  EXPECT_THAT(busy_us({{0, 0, 1, 4}, {1, 1, 2, 3}, {2, 0, 5, 6}}, 3), ElementsAre(4, 1, 0));
}

TEST(StepReport, WaitingForPredecessorsIsNoOverhead) {
  // Worker 0 runs 0 then 2; worker 1 runs 1, which follows 0, as soon as it can.
  const Edges edges{{{1, 2}, {}, {}}, {0, 1, 1}};
  EXPECT_THAT(overhead_us({{0, 0, 0, 10}, {1, 1, 10, 20}, {2, 0, 10, 20}}, edges, 0, 20, 2), ElementsAre(0, 0));
}

TEST(StepReport, IdlenessWhileATaskIsReadyIsOverhead) {
  const Edges edges{{{1}, {}}, {0, 1}};
  // Two microseconds to start each task, one after the last.
  EXPECT_THAT(overhead_us({{0, 0, 2, 10}, {1, 0, 12, 20}}, edges, 0, 21, 1), ElementsAre(5));
}

TEST(StepReport, IdleWorkersShareTheBlameForOneReadyTask) {
  const Edges edges{{{1}, {}}, {0, 1}};
  EXPECT_THAT(overhead_us({{0, 0, 0, 10}, {1, 0, 14, 20}}, edges, 0, 20, 2), ElementsAre(DoubleEq(2), DoubleEq(2)));
}

TEST(StepReport, ABusyWorkerIsNotChargedForReadyTasks) {
  const Edges edges{{{}, {}}, {0, 0}};
  EXPECT_THAT(overhead_us({{0, 0, 0, 10}, {1, 0, 10, 20}}, edges, 0, 20, 2), ElementsAre(0, 10));
}

}  // namespace
}  // namespace pleiad
