#include <gmock/gmock.h>

#include "codelets/op.hpp"
#include "codelets/ops/add.hpp"
#include "codelets/ops/bias_add.hpp"
#include "codelets/ops/fill.hpp"

namespace pleiad {
namespace {

using ::testing::HasSubstr;

Signature parse(std::string_view notation, std::vector<std::size_t> ranks) { return parse_notation(notation, ranks); }

std::string complaint(std::string_view notation, std::vector<std::size_t> ranks) {
  try {
    parse_notation(notation, ranks);
  } catch (const ShapeError& e) {
    return e.what();
  }
  return "no complaint";
}

std::string complaint(const Op& op, std::vector<Shape> inputs, const Attrs& attrs = {}) {
  try {
    signature_of(op, attrs, inputs);
  } catch (const ShapeError& e) {
    return e.what();
  }
  return "no complaint";
}

TEST(Notation, GivesAxesInOrderOfFirstAppearance) {
  const Signature s = parse("bi,oi,o->bo", {2, 2, 1});
  ASSERT_EQ(s.operands.size(), 4u);
  EXPECT_EQ(s.axes, "bio");
  EXPECT_EQ(s.inputs(), 3u);
  EXPECT_EQ(s.operands[3].axes, "bo");
  EXPECT_TRUE(s.operands[3].output);
  EXPECT_EQ(s.reduced(3), "i");
}

TEST(Notation, DotsStandForAnyAxes) {
  const Signature s = parse("...C,C->...C,...", {3, 1});
  EXPECT_EQ(s.operands[0].axes, "01C");
  EXPECT_EQ(s.operands[3].axes, "01");
  EXPECT_EQ(parse("...C,C->...C,...", {1, 1}).operands[3].axes, "");
}

TEST(Notation, UpdatesAreInputsAndLeaveNoOutput) {
  const Signature s = parse("&...,&...,...->", {2, 2, 2});
  ASSERT_EQ(s.operands.size(), 3u);
  EXPECT_EQ(s.inputs(), 3u);
  EXPECT_TRUE(s.operands[1].update);
  EXPECT_FALSE(s.operands[2].update);
}

TEST(Notation, NothingBesideTheArrowIsAScalarWhereOneFits) {
  EXPECT_EQ(parse("...->", {2}).operands.size(), 2u);
  EXPECT_EQ(parse("->", {0}).operands.size(), 2u);
  EXPECT_EQ(parse("->ab", {}).operands.size(), 1u);
  EXPECT_EQ(parse("->,", {0}).operands.size(), 3u);
}

TEST(Notation, UpperCaseAxesAreWhole) {
  EXPECT_TRUE(Signature::whole('C'));
  EXPECT_FALSE(Signature::whole('c'));
  EXPECT_FALSE(Signature::whole('0'));
}

TEST(Notation, ErrorsSayWhatIsWrong) {
  EXPECT_THAT(complaint("ab,bc", {2, 2}), HasSubstr("needs '->'"));
  EXPECT_THAT(complaint("ab,bc->ac", {2}), HasSubstr("takes 2 inputs, not 1"));
  EXPECT_THAT(complaint("ab,bc->ac", {2, 3}), HasSubstr("operand 1 has rank 3, not 2"));
  EXPECT_THAT(complaint("...ab->ab", {1}), HasSubstr("operand 0 has rank 1, not at least 2"));
  EXPECT_THAT(complaint("...,...->...", {2, 3}),
              HasSubstr("operand 1 has rank 3, not 2, since '...' is 2 axes in operand 0"));
  EXPECT_THAT(complaint("ab->...", {2}), HasSubstr("no input has it"));
  EXPECT_THAT(complaint("aa->a", {2}), HasSubstr("axis 'a' twice"));
  EXPECT_THAT(complaint("aB,b->a", {2, 1}), HasSubstr("both cases"));
  EXPECT_THAT(complaint("a1->a", {2}), HasSubstr("not '1'"));
  EXPECT_THAT(complaint("......->a", {2}), HasSubstr("stands once"));
  EXPECT_THAT(complaint("a->&a", {1}), HasSubstr("'&'"));
  EXPECT_THAT(complaint("abcdefg->a", {7}), HasSubstr("more than 6 axes"));
  EXPECT_THAT(complaint("a,a,a,a,a,a,a,a,a,a,a,a->a", {}), HasSubstr("at most 12 operands"));
  EXPECT_THAT(complaint("ab,bc", {2, 2}), HasSubstr("'ab,bc'"));
}

TEST(Shapes, MismatchNamesOpOperandsBothValuesAndTheRule) {
  const std::string text = complaint(bias_add, {{32, 784}, {783}}, Attrs("bo,o->bo"));
  for (const char* part : {"bias_add", "bias is 783", "axis 'o'", "784 in x (32x784)", "'bo,o->bo'"})
    EXPECT_THAT(text, HasSubstr(part));
}

TEST(Shapes, AxesOfDotsAreCalledByNumber) {
  EXPECT_THAT(complaint(add, {{2, 3}, {2, 4}}), HasSubstr("axis 1 of '...' is 4, but it is 3 in a"));
}

TEST(Shapes, EmptyExtentsAreRejected) { EXPECT_THAT(complaint(add, {{2, 0}, {2, 0}}), HasSubstr("a is 2x0")); }

TEST(Shapes, OutputsFollowFromInputsOrFromTheOp) {
  const std::vector<Shape> inputs{{2, 3}, {2, 3}};
  EXPECT_EQ(output_shape(add, {}, signature_of(add, {}, inputs), inputs, 2), (Shape{2, 3}));
  const Attrs attrs = fill_attrs(1, {4, 5, 6});
  EXPECT_EQ(output_shape(fill, attrs, signature_of(fill, attrs, {}), {}, 0), (Shape{4, 5, 6}));
  const std::vector<Shape> one{{2}};
  const Attrs repeats("a->ab");
  EXPECT_THROW(output_shape(bias_add, repeats, parse("a->ab", {1}), one, 1), ShapeError);
}

TEST(Costs, CountFlopsOverAxesAndBytesOverOperands) {
  const Signature s = parse("bi,oi->bo", {2, 2});
  std::vector<Tile> tiles{{.shape = {2, 3}}, {.shape = {4, 3}}, {.shape = {2, 4}}};
  Op op{.name = "product", .axes = "bi,oi->bo", .flops = 2};
  EXPECT_EQ(cost_of(op, s, tiles).flops, 2.0 * 2 * 3 * 4);
  EXPECT_EQ(cost_of(op, s, tiles).bytes, 4.0 * (6 + 12 + 8));
  tiles[2].accumulate = true;
  EXPECT_EQ(cost_of(op, s, tiles).bytes, 4.0 * (6 + 12 + 16));
  op.over = "bo";
  EXPECT_EQ(cost_of(op, s, tiles).flops, 2.0 * 2 * 4);
}

}  // namespace
}  // namespace pleiad
