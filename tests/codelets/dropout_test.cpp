#include "codelets/ops/dropout.hpp"

#include <gtest/gtest.h>

#include "op_run.hpp"

namespace pleiad::testing {
namespace {

Values dropped(const Shape& shape, DropoutAttrs attrs, const Step& step = kStep, DType t = DType::f32) {
  Values ones(t, shape);
  for (Index i = 0; i < ones.size(); ++i) ones.set(i, 1);
  Problem p(dropout, Attrs::of(attrs), {ones}, t);
  run_whole(p, reference(dropout), step);
  return p.operands[1];
}

double zeros(const Values& v) {
  double n = 0;
  for (Index i = 0; i < v.size(); ++i) n += v[i] == 0;
  return n / static_cast<double>(v.size());
}

TEST(Dropout, ZeroesTheGivenShareAndScalesTheRest) {
  for (double p : {0.1, 0.5, 0.9}) {
    const Values y = dropped({200, 500}, {.p = p});
    const double spread = std::sqrt(p * (1 - p) / 100000);
    EXPECT_NEAR(zeros(y), p, 5 * spread);
    const double scaled = static_cast<double>(static_cast<float>(1 / (1 - p)));
    for (Index i = 0; i < y.size(); ++i) ASSERT_TRUE(y[i] == 0 || y[i] == scaled) << y[i];
  }
}

TEST(Dropout, NeverOrAlwaysAtTheEnds) {
  const Values all = dropped({50, 50}, {.p = 0}), none = dropped({50, 50}, {.p = 1});
  EXPECT_EQ(zeros(all), 0);
  EXPECT_EQ(all[7], 1);
  EXPECT_EQ(zeros(none), 1);
}

TEST(Dropout, NeighboursAreIndependent) {
  const Values y = dropped({300, 301}, {.p = 0.5});
  double both = 0;
  for (Index i = 0; i + 1 < y.size(); ++i) both += y[i] == 0 && y[i + 1] == 0;
  EXPECT_NEAR(both / static_cast<double>(y.size()), 0.25, 0.01);
}

TEST(Dropout, SeedStepAndKeyEachChangeTheMask) {
  const Values y = dropped({40, 50}, {.p = 0.5, .key = 1});
  EXPECT_TRUE(y.same_bits(dropped({40, 50}, {.p = 0.5, .key = 1})));
  EXPECT_FALSE(y.same_bits(dropped({40, 50}, {.p = 0.5, .key = 2})));
  EXPECT_FALSE(y.same_bits(dropped({40, 50}, {.p = 0.5, .key = 1}, {.number = 4, .seed = 42})));
  EXPECT_FALSE(y.same_bits(dropped({40, 50}, {.p = 0.5, .key = 1}, {.number = 3, .seed = 43})));
  EXPECT_FALSE(y.same_bits(dropped({40, 50}, {.p = 0.5, .key = 1}, {.number = 3, .seed = 42 + (1ull << 32)})));
}

TEST(Dropout, TheMaskIsThatOfTheLogicalTensorInEveryDtype) {
  const Values whole = dropped({9, 31}, {.p = 0.5}), bf16 = dropped({9, 31}, {.p = 0.5}, kStep, DType::bf16);
  for (Index i = 0; i < whole.size(); ++i) EXPECT_EQ(whole[i], bf16[i]);
  // A tile at (2, 5) of that tensor, which starts in the middle of a block of random words.
  Values x = cut_out(whole, {2, 5}, {4, 17}), y(DType::f32, {4, 17});
  for (Index i = 0; i < x.size(); ++i) x.set(i, 1);
  const std::vector<Tile> tiles{x.tile_of({2, 5}, {9, 31}), y.tile_of({2, 5}, {9, 31})};
  const Attrs attrs = Attrs::of(DropoutAttrs{.p = 0.5});
  const Signature signature = signature_of(dropout, attrs, std::vector<Shape>{{4, 17}});
  reference(dropout).run({.tiles = tiles, .attrs = attrs, .signature = signature, .step = kStep});
  EXPECT_TRUE(y.same_bits(cut_out(whole, {2, 5}, {4, 17})));
}

}  // namespace
}  // namespace pleiad::testing
