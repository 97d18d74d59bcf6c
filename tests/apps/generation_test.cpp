#include "apps/train/generation.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace pleiad {
namespace {

const std::vector<float> kLogits = {0, 2, -1, 2, 1};

TEST(ChooseToken, WithoutTemperatureTheLikeliest) {
  for (Index i = 0; i < 10; ++i) EXPECT_EQ(choose_token(kLogits, {.temperature = 0}, i), 1);
  for (Index i = 0; i < 10; ++i) EXPECT_EQ(choose_token(kLogits, {.temperature = 1, .top_k = 1}, i), 1);
}

TEST(ChooseToken, AsOftenAsItsProbability) {
  constexpr Index n = 20000;
  std::array<double, 5> share{};
  for (Index i = 0; i < n; ++i)
    share[static_cast<std::size_t>(choose_token(kLogits, {.temperature = 2}, i))] += 1.0 / n;
  double sum = 0;
  for (const float x : kLogits) sum += std::exp(x / 2);
  for (std::size_t t = 0; t < 5; ++t) EXPECT_NEAR(share[t], std::exp(kLogits[t] / 2) / sum, 0.015);
}

TEST(ChooseToken, TopKLeavesTheOthersOut) {
  for (Index i = 0; i < 1000; ++i) {
    const Index t = choose_token(kLogits, {.temperature = 5, .top_k = 3}, i);
    EXPECT_TRUE(t == 1 || t == 3 || t == 4) << t;
  }
}

TEST(ChooseToken, FollowsFromSeedAndPosition) {
  std::vector<Index> a, b, c;
  for (Index i = 0; i < 50; ++i) {
    a.push_back(choose_token(kLogits, {.seed = 1}, i));
    b.push_back(choose_token(kLogits, {.seed = 1}, i));
    c.push_back(choose_token(kLogits, {.seed = 2}, i));
  }
  EXPECT_EQ(a, b);
  EXPECT_NE(a, c);
}

}  // namespace
}  // namespace pleiad
