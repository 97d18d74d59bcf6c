#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codelets/ops/concat.hpp"
#include "codelets/ops/einsum.hpp"
#include "codelets/ops/reshape.hpp"
#include "codelets/ops/slice.hpp"
#include "expect_error.hpp"
#include "op_run.hpp"

namespace pleiad::testing {
namespace {

using ::testing::HasSubstr;

/// 0, 1, 2, ... in a tensor.
Values counting(const Shape& shape, DType t = DType::f32) {
  Values v(t, shape);
  for (Index i = 0; i < v.size(); ++i) v.set(i, static_cast<double>(i));
  return v;
}

Values result(const Op& op, const Attrs& attrs, std::vector<Values> inputs) {
  const DType t = inputs[0].dtype();
  Problem p(op, attrs, std::move(inputs), t);
  run_whole(p, op.implementations()[0].device == Device::cpu ? op.implementations()[0] : reference(op));
  return p.operands.back();
}

TEST(Slice, PartsPutTogetherGiveTheWhole) {
  const Shape shape{3, 7, 2};
  const Values x = counting(shape);
  for (std::size_t dim = 0; dim < 3; ++dim) {
    std::vector<Values> parts{result(slice, slice_attrs(shape, dim, 0, 1), {x}),
                              result(slice, slice_attrs(shape, dim, 1, shape[dim]), {x})};
    EXPECT_EQ(parts[1].shape()[dim], shape[dim] - 1);
    EXPECT_TRUE(result(concat, concat_attrs(2, 3, dim), parts).same_bits(x)) << dim;
  }
}

TEST(Slice, TakesWhatLiesBetweenBeginAndEnd) {
  const Values y = result(slice, slice_attrs({2, 4}, 1, 1, 3), {counting({2, 4})});
  EXPECT_EQ(y.shape(), (Shape{2, 2}));
  EXPECT_EQ((std::vector<double>{y[0], y[1], y[2], y[3]}), (std::vector<double>{1, 2, 5, 6}));
  EXPECT_THAT(message_of(Exit::usage, [] { slice_attrs({2, 4}, 1, 2, 5); }), HasSubstr("x is 2x4"));
}

TEST(Reshape, MergesAndSplitsInOrder) {
  const Shape shape{2, 3, 4, 5};
  const Values x = counting(shape);
  const Values merged = result(reshape, reshape_attrs(shape, 1, 2, {12}), {x});
  EXPECT_EQ(merged.shape(), (Shape{2, 12, 5}));
  EXPECT_EQ(std::memcmp(merged.data(), x.data(), x.bytes()), 0);
  const Values split = result(reshape, reshape_attrs(merged.shape(), 1, 1, {3, 4}), {merged});
  EXPECT_EQ(split.shape(), shape);
  EXPECT_THAT(message_of(Exit::usage, [&] { reshape_attrs(shape, 1, 2, {11}); }), HasSubstr("cannot become 11"));
}

TEST(Permute, EveryOrderOfThreeDimensions) {
  // Larger than a block of the blocked transpose, and no multiple of it.
  const Shape shape{3, 37, 41};
  for (const char* order : {"abc", "acb", "bac", "bca", "cab", "cba"})
    for (const Impl& impl : einsum.implementations()) {
      Problem p(einsum, Attrs(std::string("abc->") + order), {counting(shape)}, DType::f32);
      if (!fits(p, impl, p.tiles())) continue;
      run_whole(p, impl);
      const Values& y = p.operands[1];
      for (Index i = 0; i < y.size(); ++i) {
        Index rest = i, at[3] = {};
        for (int d = 2; d >= 0; --d) {
          const auto axis = order[d] - 'a';
          at[axis] = rest % shape[static_cast<std::size_t>(axis)];
          rest /= shape[static_cast<std::size_t>(axis)];
        }
        ASSERT_EQ(y[i], static_cast<double>((at[0] * 37 + at[1]) * 41 + at[2])) << order << " " << impl.name;
      }
    }
}

}  // namespace
}  // namespace pleiad::testing
