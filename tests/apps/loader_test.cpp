#include "apps/data/loader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "apps/data/shuffle.hpp"

namespace pleiad {
namespace {

using ::testing::ElementsAre;

/// Sample i has the features i, -i and the label i % 3.
Dataset numbered(Index size) {
  Dataset data;
  data.sample_shape = {2};
  data.classes = 3;
  for (Index i = 0; i < size; ++i) {
    data.features.insert(data.features.end(), {static_cast<float>(i), static_cast<float>(-i)});
    data.labels.push_back(static_cast<std::int32_t>(i % 3));
  }
  return data;
}

std::vector<Index> ids(Loader& loader, Index step) {
  const auto span = loader.samples(step);
  return {span.begin(), span.end()};
}

TEST(Permutation, HoldsEveryNumberOnceAndFollowsFromItsKey) {
  for (const Index n : {0, 1, 2, 1000}) {
    auto order = permutation(n, 1, 0);
    EXPECT_EQ(order, permutation(n, 1, 0));
    std::sort(order.begin(), order.end());
    for (Index i = 0; i < n; ++i) ASSERT_EQ(order[static_cast<std::size_t>(i)], i);
  }
  EXPECT_NE(permutation(1000, 1, 0), permutation(1000, 2, 0));
  EXPECT_NE(permutation(1000, 1, 0), permutation(1000, 1, 1));
}

TEST(Permutation, EveryOrderIsAboutEquallyLikely) {
  std::map<std::vector<Index>, int> count;
  for (Index stream = 0; stream < 6000; ++stream) ++count[permutation(3, 5, stream)];
  EXPECT_EQ(count.size(), 6u);
  for (const auto& [order, n] : count) EXPECT_NEAR(n, 1000, 150);
}

TEST(Loader, AnEpochTakesEverySampleOnce) {
  const auto data = numbered(10);
  Loader loader(data, 4, 7, true);
  EXPECT_EQ(loader.steps_per_epoch(), 3);
  for (const Index epoch : {0, 1, 5}) {
    std::set<Index> seen;
    for (Index s = 0; s < 3; ++s)
      for (const Index id : ids(loader, epoch * 3 + s)) EXPECT_TRUE(seen.insert(id).second);
    EXPECT_EQ(seen.size(), 10u);
  }
  EXPECT_EQ(ids(loader, 2).size(), 2u);
  EXPECT_EQ(loader.samples_before(0), 0);
  EXPECT_EQ(loader.samples_before(2), 8);
  EXPECT_EQ(loader.samples_before(3), 10);
  EXPECT_EQ(loader.samples_before(7), 24);
}

TEST(Loader, ANewLoaderGoesOnExactlyAtAnyStep) {
  const auto data = numbered(100);
  Loader whole(data, 7, 3, true);
  for (Index step = 0; step < 60; ++step) {
    Loader resumed(data, 7, 3, true);
    EXPECT_EQ(ids(whole, step), ids(resumed, step));
  }
}

TEST(Loader, WithoutShufflingSamplesComeInOrder) {
  const auto data = numbered(5);
  Loader loader(data, 3, 1, false);
  EXPECT_THAT(ids(loader, 3), ElementsAre(3, 4));
  EXPECT_THAT(ids(loader, 2), ElementsAre(0, 1, 2));
}

TEST(Loader, RowsWithoutASampleAreIgnoredLabels) {
  const auto data = numbered(5);
  Loader loader(data, 4, 1, false);
  Batch batch{.features = std::vector<float>(8, 9.0f), .tokens = {}, .labels = {9, 9, 9, 9}};
  loader.fill(1, 0, 4, batch);
  EXPECT_THAT(batch.labels, ElementsAre(1, -1, -1, -1));
  EXPECT_THAT(batch.features, ElementsAre(4, -4, 0, 0, 0, 0, 0, 0));
  loader.fill(0, 1, 2, batch);
  EXPECT_THAT(batch.labels, ElementsAre(1, 2));
  loader.fill(1, 2, 2, batch);
  EXPECT_THAT(batch.labels, ElementsAre(-1, -1));
}

TEST(Loader, ABatchMayBeLargerThanTheData) {
  const auto data = numbered(3);
  Loader loader(data, 8, 1, true);
  EXPECT_EQ(loader.steps_per_epoch(), 1);
  EXPECT_EQ(ids(loader, 0).size(), 3u);
}

}  // namespace
}  // namespace pleiad
