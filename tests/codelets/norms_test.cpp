#include "codelets/norm/norm_attrs.hpp"
#include "codelets/ops/batch_norm.hpp"
#include "codelets/ops/batch_norm_stats.hpp"
#include "codelets/ops/group_norm.hpp"
#include "codelets/ops/layer_norm.hpp"
#include "codelets/ops/rms_norm.hpp"
#include "expect_error.hpp"
#include "expect_outputs.hpp"
#include "reference_data.hpp"

namespace pleiad::testing {
namespace {

constexpr double kEps = 1e-3;
const Attrs kRow = Attrs::of(NormAttrs{kEps});

/// A call in tests/data/norms.json: inputs x, outputs y, gradients of both.
struct Case {
  nlohmann::json json;

  explicit Case(const char* name) : json(reference_data("norms.json")[name]) {}
  static Numbers numbers(const nlohmann::json& j) {
    Numbers n;
    for (const auto& extent : j["shape"]) n.shape.push_back(extent.get<Index>());
    n.at = j["at"].get<std::vector<double>>();
    return n;
  }
  Numbers operator[](const char* name) const { return numbers(json[name]); }
  Numbers at(const char* kind, std::size_t i) const { return numbers(json[kind][i]); }
  std::vector<double> list(const char* kind, std::size_t i) const { return at(kind, i).at; }
  std::vector<Numbers> x() const {
    std::vector<Numbers> all;
    for (const auto& j : json["x"]) all.push_back(numbers(j));
    return all;
  }
};

TEST(LayerNorm, AgreesWithPyTorch) {
  const Case c("layer_norm");
  expect_outputs(layer_norm, kRow, c.x(), {c.list("y", 0), c["mean"].at, c["rstd"].at});
  expect_outputs(layer_norm_grad, {}, {c.at("x", 0), c.at("x", 1), c["mean"], c["rstd"], c.at("dy", 0)},
                 {c.list("dx", 0), c.list("dx", 1), c.list("dx", 2)});
}

TEST(LayerNorm, OfASumAgreesWithPyTorch) {
  const Case c("add_layer_norm");
  expect_outputs(add_layer_norm, kRow, c.x(), {c.list("y", 0), c.list("y", 1), c["mean"].at, c["rstd"].at});
  expect_outputs(add_layer_norm_grad, {},
                 {c.at("y", 0), c.at("x", 2), c["mean"], c["rstd"], c.at("dy", 1), c.at("dy", 0)},
                 {c.list("dx", 0), c.list("dx", 2), c.list("dx", 3)});
}

TEST(RmsNorm, AgreesWithPyTorch) {
  const Case c("rms_norm");
  expect_outputs(rms_norm, kRow, c.x(), {c.list("y", 0), c["rstd"].at});
  expect_outputs(rms_norm_grad, {}, {c.at("x", 0), c.at("x", 1), c["rstd"], c.at("dy", 0)},
                 {c.list("dx", 0), c.list("dx", 1)});
}

TEST(RmsNorm, OfASumAgreesWithPyTorch) {
  const Case c("add_rms_norm");
  expect_outputs(add_rms_norm, kRow, c.x(), {c.list("y", 0), c.list("y", 1), c["rstd"].at});
  expect_outputs(add_rms_norm_grad, {}, {c.at("y", 0), c.at("x", 2), c["rstd"], c.at("dy", 1), c.at("dy", 0)},
                 {c.list("dx", 0), c.list("dx", 2)});
}

TEST(GroupNorm, AgreesWithPyTorch) {
  const Case c("group_norm");
  const Attrs attrs = Attrs::of(GroupNormAttrs{.groups = 3, .eps = kEps});
  expect_outputs(group_norm, attrs, c.x(), {c.list("y", 0), c["mean"].at, c["rstd"].at});
  expect_outputs(group_norm_grad, attrs, {c.at("x", 0), c.at("x", 1), c["mean"], c["rstd"], c.at("dy", 0)},
                 {c.list("dx", 0), c.list("dx", 1), c.list("dx", 2)});
}

TEST(GroupNorm, GroupsDivideTheChannels) {
  const std::vector<Shape> inputs{{2, 3, 3, 10}, {10}, {10}};
  const Attrs attrs = Attrs::of(GroupNormAttrs{.groups = 4});
  const Signature s = signature_of(group_norm, attrs, inputs);
  const std::string message = message_of(Exit::usage, [&] { output_shape(group_norm, attrs, s, inputs, 4); });
  EXPECT_NE(message.find("10 channels, which 4 groups do not divide"), std::string::npos) << message;
}

TEST(BatchNorm, AgreesWithPyTorch) {
  for (bool relu : {false, true}) {
    const Case c(relu ? "batch_norm_relu" : "batch_norm");
    const Attrs attrs = Attrs::of(BatchNormAttrs{.eps = kEps, .relu = relu});
    const Numbers x = c.at("x", 0), weight = c.at("x", 1), bias = c.at("x", 2), mean = c["mean"], square = c["square"];
    const Numbers dweight = c.at("dx", 1), dbias = c.at("dx", 2), dy = c.at("dy", 0);
    expect_outputs(batch_norm_elemt, attrs, {x, mean, square, weight, bias}, {c.list("y", 0)});
    expect_outputs(batch_norm_backward_reduce, attrs, {x, mean, square, weight, bias, dy}, {dweight.at, dbias.at});
    expect_outputs(batch_norm_backward_elemt, attrs, {x, mean, square, weight, bias, dweight, dbias, dy},
                   {c.list("dx", 0)});
  }
}

TEST(BatchNorm, StatisticsAgreeWithPyTorch) {
  const Case c("batch_norm");
  const std::vector<double> rows(6, 18);
  for (DType t : kNumeric)
    for (const Impl& impl : batch_norm_stats.implementations()) {
      Problem p = problem_of(batch_norm_stats, {}, {c.at("x", 0)}, t);
      expect_outputs_of(p, {rows, c["mean"].at, c["square"].at}, {}, t, impl);
    }
}

TEST(BatchNorm, StatisticsSurviveALargeMean) {
  Numbers x{{4000, 3}, {}};
  for (Index i = 0; i < x.shape.volume(); ++i) x.at.push_back(4096 + static_cast<double>(i / 3 % 2));
  for (const Impl& impl : batch_norm_stats.implementations()) {
    Problem p = problem_of(batch_norm_stats, {}, {x}, DType::f32);
    expect_outputs_of(p, {{4000, 4000, 4000}, {4096.5, 4096.5, 4096.5}, {1000, 1000, 1000}}, {}, DType::f32, impl);
  }
}

TEST(BatchNorm, RunningStatisticsAgreeWithPyTorch) {
  const Case c("running");
  Problem batch = problem_of(batch_norm_stats, {}, {c["x"]}, DType::f64);
  run_whole(batch, reference(batch_norm_stats));
  Problem p(batch_norm_update_stats, Attrs::of(BatchNormUpdateAttrs{.momentum = 0.3}),
            {values_of(c["old_mean"], DType::f64), values_of(c["old_var"], DType::f64), batch.operands[1],
             batch.operands[2], batch.operands[3]},
            DType::f64);
  run_whole(p, reference(batch_norm_update_stats));
  EXPECT_FALSE(difference(p.operands[0], values_of(c["new_mean"], DType::f64), 1e-14));
  EXPECT_FALSE(difference(p.operands[1], values_of(c["new_var"], DType::f64), 1e-14));
}

TEST(BatchNorm, EvaluationAgreesWithPyTorch) {
  const Case c("running");
  expect_outputs(batch_norm, Attrs::of(BatchNormAttrs{.eps = kEps}),
                 {c["x"], c["old_mean"], c["old_var"], c["weight"], c["bias"]}, {c["y"].at});
}

}  // namespace
}  // namespace pleiad::testing
