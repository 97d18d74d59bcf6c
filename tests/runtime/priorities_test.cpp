#include "runtime/priorities.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <climits>

namespace pleiad {
namespace {

using ::testing::ElementsAre;

TaskGraph with_priorities(const std::vector<double>& priorities) {
  TaskGraph graph;
  for (double p : priorities) graph.tasks.push_back({.calls = {}, .priority = p});
  return graph;
}

TEST(RankedPriorities, FollowTheRank) {
  const TaskGraph graph = with_priorities({3.5, 1000, 3.5, 0.1});
  EXPECT_THAT(ranked_priorities(graph, INT_MIN, INT_MAX), ElementsAre(1, 2, 1, 0));
  EXPECT_THAT(ranked_priorities(graph, -5, 5), ElementsAre(1, 2, 1, 0));
  EXPECT_THAT(ranked_priorities(graph, 2, 9), ElementsAre(3, 4, 3, 2));
}

TEST(RankedPriorities, AreSpreadOverFewIntegers) {
  EXPECT_THAT(ranked_priorities(with_priorities({1, 2, 3, 4, 5}), 0, 2), ElementsAre(0, 0, 1, 1, 2));
  EXPECT_THAT(ranked_priorities(with_priorities({1, 2, 3}), 0, 0), ElementsAre(0, 0, 0));
  EXPECT_TRUE(ranked_priorities({}, 0, 1).empty());
}

}  // namespace
}  // namespace pleiad
