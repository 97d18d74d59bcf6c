#include "codelets/ops/attention.hpp"

#include "expect_outputs.hpp"
#include "reference_data.hpp"

namespace pleiad::testing {
namespace {

Values tensor_of(const nlohmann::json& numbers, DType dtype) {
  Shape shape;
  for (const auto& extent : numbers["shape"]) shape.push_back(extent.get<Index>());
  return values_of(Numbers{shape, numbers["at"].get<std::vector<double>>()}, dtype);
}

void expect_pytorch(const Op& op, const nlohmann::json& data, const std::vector<const char*>& names) {
  const Attrs attrs = Attrs::of(AttentionAttrs{data["causal"].get<bool>(), data["scale"].get<double>()});
  const auto inputs = static_cast<std::ptrdiff_t>(names.size() - (&op == &attention ? 2 : 3));
  for (DType t : kNumeric)
    for (const Impl& impl : op.implementations()) {
      std::vector<Values> values;
      for (std::size_t i = 0; i < names.size(); ++i)
        values.push_back(tensor_of(data[names[i]], element_type(op, attrs, i, t)));
      Problem p(op, attrs, {values.begin(), values.begin() + inputs}, t);
      if (!fits(p, impl, p.tiles())) continue;
      run_whole(p, impl);
      for (std::size_t i = p.inputs(); i < names.size(); ++i) {
        const auto d = difference(p.operands[i], tensor_of(data[names[i]], DType::f64), tolerance_of(t));
        EXPECT_FALSE(d) << op.name << " " << impl.name << " " << name_of(t) << ": " << names[i] << ": " << *d;
      }
    }
}

TEST(Attention, AgreesWithPyTorch) {
  const auto file = reference_data("attention.json");
  for (const auto& data : file["cases"]) expect_pytorch(attention, data, {"q", "k", "v", "y", "lse"});
}

TEST(Attention, GradientsAgreeWithPyTorch) {
  const auto file = reference_data("attention.json");
  for (const auto& data : file["cases"])
    expect_pytorch(attention_grad, data, {"q", "k", "v", "y", "lse", "dy", "dq", "dk", "dv"});
}

std::vector<Numbers> inputs_of(const Shape& q, const Shape& k) {
  return {normal_numbers(q, 1), normal_numbers(k, 2), normal_numbers(k, 3)};
}

/// Forward and gradient, one after the other: lse and y have to fit the inputs.
std::pair<Problem, Problem> both(const Attrs& attrs, const std::vector<Numbers>& qkv, DType t, bool fastest) {
  const auto impl_of = [&](const Op& op) {
    return fastest ? *std::ranges::find(op.impls, Device::cpu, &Impl::device) : reference(op);
  };
  Problem y = problem_of(attention, attrs, qkv, t);
  run_whole(y, impl_of(attention));
  std::vector<Values> inputs = y.operands;
  inputs.push_back(values_of(normal_numbers(qkv[0].shape, 4), t));
  Problem d(attention_grad, attrs, inputs, t);
  run_whole(d, impl_of(attention_grad));
  return {std::move(y), std::move(d)};
}

/// Several blocks of queries and of keys, none of them full, and tiles that begin anywhere.
TEST(Attention, LongSequencesAgreeWithTheReference) {
  for (bool causal : {true, false})
    for (DType t : kNumeric) {
      const Attrs attrs = Attrs::of(AttentionAttrs{.causal = causal});
      const auto qkv = inputs_of({1, 301, 1, 2, 35}, {1, 301, 1, 35});
      auto [y, dy] = both(attrs, qkv, t, true);
      auto [y_wanted, dy_wanted] = both(attrs, qkv, DType::f64, false);
      if (auto f = differ(y, y_wanted, tolerance_of(t), std::string(name_of(t)))) ADD_FAILURE() << *f;
      for (std::size_t i = 6; i < 9; ++i)
        if (auto d = difference(dy.operands[i], dy_wanted.operands[i], tolerance_of(t)))
          ADD_FAILURE() << name_of(t) << " " << attention_grad.operands[i].name << ": " << *d;
    }
}

TEST(Attention, TilesOfALongSequenceGiveTheWhole) {
  const Attrs attrs = Attrs::of(AttentionAttrs{});
  auto [y_wanted, dy_wanted] = both(attrs, inputs_of({1, 301, 1, 1, 8}, {1, 301, 1, 8}), DType::f32, false);
  for (Problem* wanted : {&y_wanted, &dy_wanted})
    for (const Impl& impl : wanted->op.implementations()) {
      Problem p = *wanted;
      if (!fits(p, impl, p.tiles())) continue;
      Cuts cuts;
      for (char axis : p.signature.axes) cuts[axis] = {{0, axis_extent(axis, p.signature, p.tiles())}, {0}};
      cuts['t'] = {{0, 101, 301}, {0, 1}};
      cuts['s'] = {{0, 77, 150, 301}, {0, 1, 0}};
      TiledRun(p, impl, cuts, 2).run();
      if (auto f = differ(p, *wanted, 5e-5, impl.name)) ADD_FAILURE() << *f;
    }
}

TEST(Attention, LargeScoresNeitherOverflowNorVanish) {
  const Shape q{1, 3, 1, 1, 1}, k{1, 3, 1, 1};
  const std::vector<Numbers> inputs{{q, {100, 100, -100}}, {k, {100, -100, 50}}, {k, {1, 2, 4}}};
  for (const Impl& impl : attention.implementations()) {
    Problem p = problem_of(attention, Attrs::of(AttentionAttrs{}), inputs, DType::f32);
    if (!fits(p, impl, p.tiles())) continue;
    run_whole(p, impl);
    for (Index i = 0; i < 3; ++i) {
      EXPECT_NEAR(p.operands[3][i], i < 2 ? 1 : 2, 1e-6) << impl.name;
      EXPECT_NEAR(p.operands[4][i], 1e4, 1e-2) << impl.name;
    }
  }
}

TEST(Attention, NotANumberPassesThrough) {
  for (const Impl& impl : attention.implementations()) {
    Problem p =
        problem_of(attention, Attrs::of(AttentionAttrs{}), inputs_of({1, 3, 1, 1, 2}, {1, 3, 1, 2}), DType::f32);
    if (!fits(p, impl, p.tiles())) continue;
    p.operands[1].set(2, NAN);
    run_whole(p, impl);
    for (Index i = 0; i < 3; ++i) EXPECT_EQ(std::isnan(p.operands[4][i]), i > 0) << impl.name << " " << i;
  }
}

TEST(Attention, TilesAboveTheDiagonalAreEmpty) {
  const auto empty = [](Index query, Index key, bool causal) {
    const Tile q{.shape = {1, 4, 1, 1, 2}, .origin = {0, query, 0, 0, 0}},
        k{.shape = {1, 4, 1, 2}, .origin = {0, key, 0, 0}};
    const std::array tiles{q, k};
    return attention.empty(tiles, Attrs::of(AttentionAttrs{.causal = causal}));
  };
  EXPECT_TRUE(empty(0, 4, true));
  EXPECT_FALSE(empty(0, 3, true));
  EXPECT_FALSE(empty(4, 4, true));
  EXPECT_FALSE(empty(0, 4, false));
}

}  // namespace
}  // namespace pleiad::testing
