#include "codelets/ops/huber_loss.hpp"
#include "codelets/ops/nll_loss.hpp"
#include "codelets/registry.hpp"
#include "expect_outputs.hpp"
#include "reference_data.hpp"

namespace pleiad::testing {
namespace {

/// A call in tests/data/losses.json.
struct Case {
  nlohmann::json json;

  explicit Case(const std::string& name) : json(reference_data("losses.json")[name]) {}
  Numbers operator[](const char* name) const {
    Numbers n;
    for (const auto& extent : json[name]["shape"]) n.shape.push_back(extent.get<Index>());
    n.at = json[name]["at"].get<std::vector<double>>();
    return n;
  }
};

TEST(Softmax, AgreesWithPyTorch) {
  for (const std::string name : {"softmax", "log_softmax"}) {
    const Case c(name);
    expect_outputs(*find_op(name), {}, {c["x"]}, {c["y"].at});
    expect_outputs(*find_op(name + "_grad"), {}, {c["y"], c["dy"]}, {c["dx"].at});
  }
}

TEST(Softmax, LargeInputsNeitherOverflowNorVanish) {
  const Numbers x{{2, 3}, {1e4, 0, 1e4, -1e4, -1e4, -2e4}};
  expect_outputs(*find_op("softmax"), {}, {x}, {{0.5, 0, 0.5, 0.5, 0.5, 0}});
  const double half = std::log(0.5);
  expect_outputs(*find_op("log_softmax"), {}, {x}, {{half, -1e4 + half, half, half, half, -1e4 + half}});
}

TEST(Losses, AgreeWithPyTorch) {
  for (const std::string name : {"mse_loss", "l1_loss", "huber_loss", "binary_cross_entropy_with_logits"}) {
    const Case c(name);
    const Attrs attrs = name == "huber_loss" ? Attrs::of(HuberAttrs{.delta = 1.5}) : Attrs();
    expect_outputs(*find_op(name), attrs, {c["x"], c["target"]}, {c["y"].at});
    expect_outputs(*find_op(name + "_grad"), attrs, {c["x"], c["target"], c["dy"]}, {c["dx"].at});
  }
}

TEST(Losses, L1HasNoGradientWhereEqual) {
  expect_outputs(*find_op("l1_loss_grad"), {}, {{{2}, {1, 3}}, {{2}, {1, 2}}, {{}, {4}}}, {{0, 2}});
}

TEST(Losses, BinaryCrossEntropyOfLargeLogits) {
  const Op& op = *find_op("binary_cross_entropy_with_logits");
  expect_outputs(op, {}, {{{2}, {1e4, -1e4}}, {{2}, {1, 0}}}, {{0}});
  expect_outputs(op, {}, {{{2}, {1e4, -1e4}}, {{2}, {0, 1}}}, {{1e4}});
  for (const Impl& impl : op.implementations()) {
    Problem p = problem_of(op, {}, {{{1}, {-20}}, {{1}, {0}}}, DType::f32);
    run_whole(p, impl);
    EXPECT_NEAR(p.operands[2][0], std::log1p(std::exp(-20.0)), 1e-14) << impl.name;
  }
}

TEST(NllLoss, AgreesWithPyTorch) {
  const Case c("nll_loss");
  const double dloss = c["dy"].at[0];
  std::vector<double> unscaled = c["dx"].at;
  for (double& d : unscaled) d /= dloss;
  expect_outputs(nll_loss, {}, {c["x"], c["target"], {{}, {2}}}, {c["y"].at, unscaled});
}

TEST(NllLossDeath, UnknownClassEndsTheProcess) {
  Problem p = problem_of(nll_loss, {}, {normal_numbers({1, 3}, 1), {{1}, {3}}, {{}, {1}}}, DType::f32);
  EXPECT_EXIT(run_whole(p, reference(nll_loss)), ::testing::ExitedWithCode(1), "class id 3, but there are 3");
}

}  // namespace
}  // namespace pleiad::testing
