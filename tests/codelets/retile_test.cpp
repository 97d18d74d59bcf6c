#include "codelets/ops/retile.hpp"

#include <gtest/gtest.h>

#include "op_run.hpp"

namespace pleiad::testing {
namespace {

/// Copies from a tile into another one, both parts of a tensor of shape `whole`.
void copy(Values& x, Shape from, Values& y, Shape to, const Shape& whole) {
  const Signature signature = signature_of(retile, {}, std::vector<Shape>{whole});
  const std::vector<Tile> tiles{x.tile_of(from, whole), y.tile_of(to, whole)};
  const Attrs attrs;
  reference(retile).run({.tiles = tiles, .attrs = attrs, .signature = signature, .step = kStep});
}

Values numbered(const Shape& shape, DType t = DType::f32) {
  Values v(t, shape);
  for (Index i = 0; i < v.size(); ++i) v.set(i, static_cast<double>(i));
  return v;
}

TEST(Retile, CopiesTheOverlapAndLeavesTheRest) {
  const Shape whole{6, 8};
  const Values all = numbered(whole);
  Values x = cut_out(all, {1, 2}, {3, 4}), y(DType::f32, {4, 5});
  copy(x, {1, 2}, y, {2, 0}, whole);
  for (Index r = 0; r < 4; ++r)
    for (Index c = 0; c < 5; ++c) {
      const bool inside = r + 2 < 4 && c >= 2;
      EXPECT_EQ(y[r * 5 + c], inside ? static_cast<double>((r + 2) * 8 + c) : 0) << r << "," << c;
    }
  EXPECT_TRUE(y.sentinels_intact());
}

TEST(Retile, AllPairsOfTilesGiveTheTensor) {
  const Shape whole{5, 7, 3};
  for (DType t : {DType::f32, DType::f64, DType::bf16, DType::i32}) {
    const Values all = numbered(whole, t);
    Values again(t, whole);
    for (auto [to, rows] : {std::pair<Index, Index>{0, 2}, {2, 3}}) {
      Values y(t, {rows, 7, 3});
      y.poison();
      for (auto [from, columns] : {std::pair<Index, Index>{0, 3}, {3, 1}, {4, 3}}) {
        Values x = cut_out(all, {0, from, 0}, {5, columns, 3});
        copy(x, {0, from, 0}, y, {to, 0, 0}, whole);
      }
      put_back(again, {to, 0, 0}, y);
    }
    EXPECT_TRUE(again.same_bits(all)) << name_of(t);
  }
}

TEST(Retile, TilesApartCopyNothing) {
  Values x = numbered({2, 2}), y(DType::f32, {2, 2});
  copy(x, {0, 0}, y, {2, 2}, {4, 4});
  for (Index i = 0; i < 4; ++i) EXPECT_EQ(y[i], 0);
}

TEST(Retile, ScalarsAreCopied) {
  Values x = numbered({}), y(DType::f32, {});
  x.set(0, 3);
  copy(x, {}, y, {}, {});
  EXPECT_EQ(y[0], 3);
}

}  // namespace
}  // namespace pleiad::testing
