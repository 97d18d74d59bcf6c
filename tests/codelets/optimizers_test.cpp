#include <gtest/gtest.h>

#include "codelets/ops/adafactor.hpp"
#include "codelets/ops/adam.hpp"
#include "codelets/ops/clip_coefficient.hpp"
#include "codelets/ops/einsum.hpp"
#include "codelets/ops/ema.hpp"
#include "codelets/ops/lamb.hpp"
#include "codelets/ops/lion.hpp"
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
  if (op == "lion") {
    const LionAttrs usual;
    return Attrs::of(LionAttrs{a.value("beta1", usual.beta1), a.value("beta2", usual.beta2), decay});
  }
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
  ASSERT_EQ(cases.size(), 11u);
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

Values shaped(const json& numbers, const Shape& shape) {
  const Values flat = values_of(numbers);
  Values v(DType::f64, shape);
  for (Index i = 0; i < v.size(); ++i) v.set(i, flat[i]);
  return v;
}

/// Runs a call in float64; returns its operands.
std::vector<Values> called(const Op& op, const Attrs& attrs, std::vector<Values> inputs, const Step& step = kStep) {
  Problem p(op, attrs, std::move(inputs), DType::f64);
  run_whole(p, reference(op), step);
  return p.operands;
}

TEST(Lamb, StepsAsThePaperSays) {
  const json c = reference_data("optimizers.json")["lamb"];
  const Attrs attrs = Attrs::of(LambAttrs{.beta1 = 0.8, .beta2 = 0.99, .eps = 1e-6, .weight_decay = 0.1});
  Values p = values_of(c["start"]), m(DType::f64, p.shape()), v = m;
  for (std::size_t i = 0; i < c["gradients"].size(); ++i) {
    const Step step{.number = static_cast<Index>(i) + 1, .lr = c["lr"][i].get<double>()};
    const auto first = called(lamb_direction, attrs, {p, m, v, values_of(c["gradients"][i])}, step);
    m = first[1];
    v = first[2];
    p = called(lamb, attrs, {p, first[4], first[5], first[6]}, step)[0];
    EXPECT_FALSE(difference(p, values_of(c["params"][i]), 1e-14)) << "step " << step.number;
  }
}

TEST(Lamb, NormsOfZeroScaleNothing) {
  Values zero(DType::f64, {}), one(DType::f64, {}), p(DType::f64, {2}), r(DType::f64, {2});
  one.set(0, 1);
  r.set(0, 1);
  const Values moved = called(lamb, {}, {p, r, zero, one}, {.number = 1, .lr = 0.5})[0];
  EXPECT_EQ(moved[0], -0.5);
  EXPECT_EQ(moved[1], 0);
}

/// The phases of one Adafactor step on whole tensors.
struct AdafactorRun {
  Attrs attrs;
  Values p, row, column, variance;

  AdafactorRun(const Attrs& a, const Values& start)
      : attrs(a),
        p(start),
        row(DType::f64, without(start.shape(), 1)),
        column(DType::f64, without(start.shape(), 2)),
        variance(DType::f64, start.shape()) {}

  void step(const Values& g, const Step& step) {
    const auto update = p.shape().rank() > 1 ? matrix_update(g, step) : vector_update(g, step);
    p = called(adafactor, attrs, {p, update[0], update[1], update[2]}, step)[0];
  }

 private:
  /// The shape without its last or last but one dimension.
  static Shape without(const Shape& s, std::size_t from_end) {
    Shape rest;
    for (std::size_t d = 0; d < s.rank(); ++d)
      if (d + from_end != s.rank()) rest.push_back(s[d]);
    return rest;
  }
  std::vector<Values> matrix_update(const Values& g, const Step& step) {
    const auto means = called(adafactor_squares, attrs, {g});
    row = called(adafactor_average, attrs, {row, means[1]}, step)[0];
    column = called(adafactor_average, attrs, {column, means[2]}, step)[0];
    const auto row_mean = called(einsum, einsum_attrs("...r->...", "r"), {row})[1];
    const auto all = called(adafactor_update, attrs, {g, row, column, row_mean, p}, step);
    return {all.begin() + 5, all.end()};
  }
  std::vector<Values> vector_update(const Values& g, const Step& step) {
    const auto all = called(adafactor_update_1d, attrs, {p, variance, g}, step);
    variance = all[1];
    return {all.begin() + 3, all.end()};
  }
};

TEST(Adafactor, StepsAsPyTorchDoes) {
  const json cases = reference_data("optimizers.json")["adafactor"];
  ASSERT_EQ(cases.size(), 5u);
  for (std::size_t k = 0; k < cases.size(); ++k) {
    const json& c = cases[k];
    Shape shape;
    for (const json& extent : c["shape"]) shape.push_back(extent.get<Index>());
    const AdafactorAttrs set{.beta2_decay = -0.7, .eps1 = 1e-5, .eps2 = 1e-2, .d = 1.5, .weight_decay = 0.1};
    AdafactorRun run(Attrs::of(k < 3 ? AdafactorAttrs{} : set), shaped(c["start"], shape));
    for (std::size_t i = 0; i < c["gradients"].size(); ++i) {
      run.step(shaped(c["gradients"][i], shape), {.number = static_cast<Index>(i) + 1, .lr = c["lr"][i].get<double>()});
      const auto d = difference(run.p, shaped(c["params"][i], shape), 1e-13);
      EXPECT_FALSE(d) << "case " << k << " step " << i + 1 << ": " << *d;
    }
  }
}

TEST(Ema, AveragesAsPyTorchDoes) {
  const json c = reference_data("optimizers.json")["ema"];
  Values average = values_of(c["params"][0]);
  for (std::size_t i = 1; i < c["params"].size(); ++i) {
    average = called(ema, Attrs::of(EmaAttrs{c["decay"].get<double>()}), {values_of(c["params"][i]), average})[1];
    EXPECT_FALSE(difference(average, values_of(c["averages"][i]), 1e-15)) << i;
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
