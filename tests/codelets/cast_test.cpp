#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "codelets/ops/cast.hpp"
#include "op_run.hpp"

namespace pleiad::testing {
namespace {

Values cast_to(DType to, DType from, const std::vector<double>& numbers) {
  Values x(from, {static_cast<Index>(numbers.size())});
  for (Index i = 0; i < x.size(); ++i) x.set(i, numbers[static_cast<std::size_t>(i)]);
  Problem p(cast, cast_attrs(to), {x}, from);
  run_whole(p, reference(cast));
  const Values y = p.operands[1];
  for (const Impl& impl : cast.implementations()) {
    if (!fits(p, impl, p.tiles())) continue;
    p.operands[1].poison();
    run_whole(p, impl);
    for (Index i = 0; i < y.size(); ++i)
      EXPECT_TRUE(p.operands[1][i] == y[i] || (std::isnan(y[i]) && std::isnan(p.operands[1][i]))) << i;
  }
  return y;
}

TEST(Cast, RoundsToNearestAndTiesToEven) {
  // bf16 has 8 significant bits: neighbours of 1 are 2^-7 apart.
  const double half = std::ldexp(1, -8), bit = std::ldexp(1, -20);
  const auto y =
      cast_to(DType::bf16, DType::f32, {1 + half, 1 + 3 * half, 1 + half + bit, 1 + 3 * half - bit, -1 - half, 3e38});
  EXPECT_EQ(y[0], 1);
  EXPECT_EQ(y[1], 1 + 4 * half);
  EXPECT_EQ(y[2], 1 + 2 * half);
  EXPECT_EQ(y[3], 1 + 2 * half);
  EXPECT_EQ(y[4], -1);
  EXPECT_NEAR(y[5], 3e38, 3e38 / 256);
  // By way of float, this would be a tie.
  EXPECT_EQ(cast_to(DType::bf16, DType::f64, {1 + half + std::ldexp(1, -40)})[0], 1 + 2 * half);
  EXPECT_EQ(cast_to(DType::bf16, DType::f64, {1 + half - std::ldexp(1, -40)})[0], 1);
  EXPECT_EQ(cast_to(DType::f32, DType::f64, {1 + std::ldexp(1, -24)})[0], 1);
  EXPECT_EQ(cast_to(DType::f32, DType::f64, {1 + 3 * std::ldexp(1, -24)})[0], 1 + std::ldexp(1, -22));
}

TEST(Cast, KeepsWhatBothTypesHold) {
  const std::vector<double> numbers{0, -1.5, 0.15625, 65536, -std::ldexp(1, -100)};
  const DType types[] = {DType::f32, DType::f64, DType::bf16};
  for (DType from : types)
    for (DType to : types) {
      const auto y = cast_to(to, from, numbers);
      EXPECT_EQ(y.dtype(), to);
      for (std::size_t i = 0; i < numbers.size(); ++i) EXPECT_EQ(y[static_cast<Index>(i)], numbers[i]);
    }
}

TEST(Cast, KeepsNotANumberAndInfinity) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  for (DType to : {DType::f32, DType::f64, DType::bf16}) {
    const auto y = cast_to(to, DType::f32, {nan, infinity, -infinity});
    EXPECT_TRUE(std::isnan(y[0]));
    EXPECT_EQ(y[1], infinity);
    EXPECT_EQ(y[2], -infinity);
  }
  EXPECT_EQ(cast_to(DType::bf16, DType::f32, {3.4e38})[0], infinity);
}

}  // namespace
}  // namespace pleiad::testing
