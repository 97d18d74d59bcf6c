#include <gtest/gtest.h>

#include "codelets/ops/adam.hpp"
#include "codelets/ops/clip_coefficient.hpp"
#include "codelets/ops/momentum.hpp"
#include "codelets/ops/scale_by.hpp"
#include "codelets/ops/sgd.hpp"
#include "codelets/ops/sum_squares.hpp"
#include "codelets/registry.hpp"
#include "op_run.hpp"
#include "reference_data.hpp"

namespace pleiad::testing {
namespace {

using nlohmann::json;

Attrs attrs_of(const std::string& op, const json& a) {
  const double decay = a.value("weight_decay", 0.0);
  if (op == "sgd") return Attrs::of(SgdAttrs{decay});
  if (op == "momentum") return Attrs::of(MomentumAttrs{a.value("momentum", 0.0), decay, a.value("nesterov", false)});
  const AdamAttrs usual;
  return Attrs::of(
      AdamAttrs{a.value("beta1", usual.beta1), a.value("beta2", usual.beta2), a.value("eps", usual.eps), decay});
}

/// Runs all steps of a case in a dtype and expects PyTorch's parameters after each.
void expect_as_pytorch(const json& c, DType t, double tolerance) {
  const Op& op = *find_op(c["op"].get<std::string>());
  std::vector<Values> operands{values_of(c["start"], t)};
  while (op.operands[operands.size() + 1].name)
    operands.emplace_back(wide_of(t), operands[0].shape());  // state, then g
  for (std::size_t step = 0; step < c["gradients"].size(); ++step) {
    operands.push_back(values_of(c["gradients"][step], t));
    Problem p(op, attrs_of(c["op"], c["attrs"]), operands, t);
    run_whole(p, reference(op), {.number = static_cast<Index>(step) + 1, .lr = c["lr"][step].get<double>()});
    operands.assign(p.operands.begin(), p.operands.end() - 1);
    const auto d = difference(operands[0], values_of(c["params"][step]), tolerance);
    EXPECT_FALSE(d) << c["op"] << c["attrs"] << " step " << step + 1 << " in " << name_of(t) << ": " << *d;
  }
}

TEST(Optimizers, StepAsPyTorchDoes) {
  const json cases = reference_data("optimizers.json")["optimizers"];
  ASSERT_EQ(cases.size(), 9u);
  for (const json& c : cases) {
    expect_as_pytorch(c, DType::f64, 1e-14);
    expect_as_pytorch(c, DType::f32, 1e-6);
    expect_as_pytorch(c, DType::bf16, 0.03);
  }
}

TEST(Optimizers, FirstAdamStepMovesByTheLearningRate) {
  // Bias correction makes m / sqrt(v) the sign of the gradient in step 1, whatever its size.
  for (double g : {1e-3, -7.0}) {
    Values p(DType::f64, {}), m(DType::f64, {}), v(DType::f64, {}), gradient(DType::f64, {});
    gradient.set(0, g);
    Problem call(adam, Attrs::of(AdamAttrs{.eps = 0}), {p, m, v, gradient}, DType::f64);
    run_whole(call, reference(adam), {.number = 1, .lr = 0.25});
    EXPECT_NEAR(call.operands[0][0], g > 0 ? -0.25 : 0.25, 1e-15);
  }
}

TEST(Clipping, ScalesAsPyTorchDoes) {
  const json cases = reference_data("optimizers.json")["clipping"];
  ASSERT_EQ(cases.size(), 3u);
  for (const json& c : cases) {
    Problem squares(sum_squares, {}, {values_of(c["gradient"])}, DType::f64);
    run_whole(squares, reference(sum_squares));
    Problem clip(clip_coefficient, Attrs::of(ClipAttrs{c["max_norm"].get<double>()}), {squares.operands[1]},
                 DType::f64);
    run_whole(clip, reference(clip_coefficient));
    EXPECT_NEAR(clip.operands[2][0], c["norm"].get<double>(), 1e-14);
    Problem scaled(scale_by, {}, {values_of(c["gradient"]), clip.operands[1]}, DType::f64);
    run_whole(scaled, reference(scale_by));
    EXPECT_FALSE(difference(scaled.operands[2], values_of(c["clipped"]), 1e-14));
  }
}

TEST(Clipping, NotANumberStaysOne) {
  Values norm2(DType::f32, {});
  norm2.poison();
  Problem clip(clip_coefficient, Attrs::of(ClipAttrs{}), {norm2}, DType::f32);
  run_whole(clip, reference(clip_coefficient));
  EXPECT_TRUE(std::isnan(clip.operands[1][0]));
  EXPECT_TRUE(std::isnan(clip.operands[2][0]));
}

TEST(SumSquares, KeepsSmallTermsBesideLargeOnes) {
  // In float, 2^24 + 1 is 2^24: the ones would all be lost.
  Values x(DType::f32, {4097});
  x.set(0, 4096);
  for (Index i = 1; i < x.size(); ++i) x.set(i, 1);
  Problem p(sum_squares, {}, {x}, DType::f32);
  run_whole(p, reference(sum_squares));
  EXPECT_EQ(p.operands[1][0], 4096.0 * 4096 + 4096);
}

}  // namespace
}  // namespace pleiad::testing
