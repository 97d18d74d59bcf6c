#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expect_error.hpp"
#include "training.hpp"

#include "codelets/ops/add.hpp"
#include "codelets/ops/count_valid.hpp"
#include "codelets/ops/sum_squares.hpp"

namespace pleiad {
namespace {

using namespace pleiad::testing;
using ::testing::AllOf;
using ::testing::HasSubstr;

struct Inputs {
  Graph g;
  Sym a = g.tensor("a", {{"rows", 3}, {"columns", 4}}, Kind::input);
  Sym b = g.tensor("b", {{"rows", 3}, {"columns", 5}}, Kind::input);
  Sym wide = g.tensor("wide", {{"rows", 3}, {"columns", 4}}, Kind::input, DType::f64);
  Sym half = g.tensor("half", {{"rows", 3}}, Kind::input, DType::bf16);
};

TEST(Graph, ShapesThatDoNotFitAreNamed) {
  Inputs i;
  EXPECT_THAT(message_of(Exit::usage,
                         [&] {
                           i.g.one(add, {i.a, i.b});
                         }),
              AllOf(HasSubstr("add"), HasSubstr("3x4"), HasSubstr("3x5"), HasSubstr("inputs: a, b")));
}

TEST(Graph, TypesThatDoNotFitAreNamed) {
  Inputs i;
  EXPECT_THAT(message_of(Exit::usage,
                         [&] {
                           i.g.one(add, {i.a, i.wide});
                         }),
              AllOf(HasSubstr("add"), HasSubstr("wide"), HasSubstr("fp64"), HasSubstr("fp32")));
  EXPECT_THAT(message_of(Exit::usage, [&] { i.g.one(count_valid, {i.a}); }),
              AllOf(HasSubstr("ids = a"), HasSubstr("int32")));
}

TEST(Graph, OutputsThatDoNotFitAreNamed) {
  Inputs i;
  EXPECT_THAT(message_of(Exit::usage,
                         [&] {
                           i.g.call_into(add, {i.a, i.a}, {i.b});
                         }),
              AllOf(HasSubstr("y = b"), HasSubstr("3x4")));
  EXPECT_THAT(message_of(Exit::usage, [&] { i.g.call_into(add, {i.a, i.a}, {}); }), HasSubstr("0 outputs given, 1"));
}

TEST(Graph, OutputsTakeTheTypeOfTheirOperand) {
  Inputs i;
  const Sym sum = i.g.one(sum_squares, {i.half});
  EXPECT_EQ(i.g[sum].dtype, DType::f32);
  EXPECT_EQ(i.g[i.g.one(add, {i.half, i.half})].dtype, DType::bf16);
}

TEST(Graph, AParameterAndItsStateAreOneFamily) {
  const Model m = mlp({.optimizer = {.kind = nn::OptimizerKind::momentum, .grad_clip = 1}});
  const auto find = [&](const std::string& name) {
    for (int t = 0; t < count(m.graph().tensors); ++t)
      if (at(m.graph().tensors, t).name == name) return Sym{t};
    return Sym{};
  };
  EXPECT_EQ(m.graph()[find("momentum_buffer.layers.1.weight")].family, find("layers.1.weight"));
  EXPECT_EQ(m.graph()[find("layers.1.weight")].family, find("layers.1.weight"));
}

TEST(Classes, DimsThatOpsJoinAreOneClassNamedByItsFirstAxis) {
  const Model m = contractions();
  const Classes c = unify(m.graph());
  for (const char* name : {"batch", "in", "hidden", "classes"}) {
    const int k = c.find(name);
    ASSERT_GE(k, 0) << name;
    EXPECT_EQ(c.whole[static_cast<std::size_t>(k)], name == std::string("classes")) << name;
  }
  EXPECT_EQ(c.size(), 4u);
  EXPECT_EQ(c.find("nonsense"), -1);
}

TEST(Classes, NamesAreUnique) {
  Graph g;
  g.tensor("a", {{"n", 3}}, Kind::input);
  g.tensor("b", {{"n", 4}}, Kind::input);
  g.tensor("c", {{"", 5}}, Kind::input);
  EXPECT_THAT(unify(g).name, ::testing::ElementsAre("n", "n#2", "c.0"));
}

TEST(Classes, AnAxisWithTwoExtentsNamesBothTensors) {
  Inputs i;
  i.g.tie(i.a, i.b);
  EXPECT_THAT(message_of(Exit::usage, [&] { unify(i.g); }),
              AllOf(HasSubstr("a (3x4)"), HasSubstr("b (3x5)"), HasSubstr("dimension 1")));
  Inputs other;
  const Sym y = other.g.one(add, {other.a, other.a});
  other.g[y].shape = {3, 7};
  EXPECT_THAT(message_of(Exit::usage, [&] { unify(other.g); }),
              AllOf(HasSubstr("add.1"), HasSubstr("3x4"), HasSubstr("3x7")));
}

}  // namespace
}  // namespace pleiad
