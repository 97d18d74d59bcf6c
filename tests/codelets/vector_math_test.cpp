#include "codelets/base/vector_math.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace pleiad {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();

/// Distance of `got` from the exact value, in units of the last place of the exact value rounded to float.
double ulps(float got, double exact) {
  const auto rounded = static_cast<float>(exact);
  if (got == rounded) return 0;
  const float next = std::nextafter(std::fabs(rounded), kInf);
  return std::fabs(static_cast<double>(got) - exact) /
         (static_cast<double>(next) - std::fabs(static_cast<double>(rounded)));
}

/// Largest error over floats from `from` to `to`, about 300 000 of them, evenly spread in value.
template <class F, class G>
double worst(float from, float to, F fast, G exact) {
  constexpr int n = 300000;
  double largest = 0;
  for (int i = 0; i <= n; ++i) {
    const float x = from + (to - from) * static_cast<float>(i) / n;
    largest = std::max(largest, ulps(fast(x), exact(static_cast<double>(x))));
  }
  return largest;
}

constexpr auto kExp = [](float x) { return fast_exp(x); };
constexpr auto kTanh = [](float x) { return fast_tanh(x); };
constexpr auto kSigmoid = [](float x) { return fast_sigmoid(x); };
double exact_exp(double x) { return std::exp(x); }
double exact_tanh(double x) { return std::tanh(x); }
double exact_sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

TEST(VectorMath, ExpIsWithinTwoUlp) {
  EXPECT_LE(worst(-87.3f, 88.7f, kExp, exact_exp), 2);
  EXPECT_LE(worst(-1.0f, 1.0f, kExp, exact_exp), 2);
  EXPECT_LE(worst(-1e-4f, 1e-4f, kExp, exact_exp), 2);
  EXPECT_LE(worst(88.0f, 88.7228f, kExp, exact_exp), 2);
}

TEST(VectorMath, ExpAtTheExtremes) {
  EXPECT_EQ(fast_exp(0.0f), 1.0f);
  EXPECT_EQ(fast_exp(-0.0f), 1.0f);
  EXPECT_EQ(fast_exp(kInf), kInf);
  EXPECT_EQ(fast_exp(-kInf), 0.0f);
  EXPECT_EQ(fast_exp(89.0f), kInf);
  EXPECT_EQ(fast_exp(1e30f), kInf);
  EXPECT_EQ(fast_exp(-200.0f), 0.0f);
  EXPECT_TRUE(std::isnan(fast_exp(kNan)));
}

TEST(VectorMath, TanhIsWithinFourUlp) {
  EXPECT_LE(worst(-12.0f, 12.0f, kTanh, exact_tanh), 4);
  EXPECT_LE(worst(-0.7f, 0.7f, kTanh, exact_tanh), 4);
  EXPECT_LE(worst(0.6f, 0.65f, kTanh, exact_tanh), 4);
  EXPECT_LE(worst(-1e-5f, 1e-5f, kTanh, exact_tanh), 4);
}

TEST(VectorMath, TanhAtTheExtremes) {
  EXPECT_EQ(fast_tanh(kInf), 1.0f);
  EXPECT_EQ(fast_tanh(-kInf), -1.0f);
  EXPECT_EQ(fast_tanh(1e30f), 1.0f);
  EXPECT_TRUE(std::signbit(fast_tanh(-0.0f)));
  EXPECT_EQ(fast_tanh(1e-38f), 1e-38f);
  EXPECT_TRUE(std::isnan(fast_tanh(kNan)));
}

TEST(VectorMath, SigmoidIsWithinFourUlp) {
  EXPECT_LE(worst(-87.0f, 87.0f, kSigmoid, exact_sigmoid), 4);
  EXPECT_LE(worst(-1.0f, 1.0f, kSigmoid, exact_sigmoid), 4);
  EXPECT_EQ(fast_sigmoid(kInf), 1.0f);
  EXPECT_EQ(fast_sigmoid(-kInf), 0.0f);
  EXPECT_TRUE(std::isnan(fast_sigmoid(kNan)));
}

TEST(VectorMath, DoubleIsTheStandardLibrary) {
  for (double x : {-700.0, -1.5, 0.0, 0.3, 20.0}) {
    EXPECT_EQ(VectorMath::exp(x), std::exp(x));
    EXPECT_EQ(VectorMath::tanh(x), std::tanh(x));
  }
}

}  // namespace
}  // namespace pleiad
