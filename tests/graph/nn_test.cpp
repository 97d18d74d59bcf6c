#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "training.hpp"

namespace pleiad {
namespace {

using namespace pleiad::testing;

nlohmann::json torch_runs() {
  std::ifstream file(std::filesystem::path(PLEIAD_TESTS_DATA) / "mlp_torch.json");
  return nlohmann::json::parse(file);
}

const std::map<std::string, nn::OptimizerKind> kOptimizers{{"sgd", nn::OptimizerKind::sgd},
                                                           {"momentum", nn::OptimizerKind::momentum},
                                                           {"adam", nn::OptimizerKind::adam},
                                                           {"adamw", nn::OptimizerKind::adamw}};
const std::map<std::string, nn::Activation> kActivations{
    {"relu", nn::Activation::relu}, {"gelu", nn::Activation::gelu}, {"silu", nn::Activation::silu}};

TEST(Nn, TrainingEqualsThatOfPyTorch) {
  const auto data = torch_runs();
  for (const auto& run : data["runs"]) {
    MlpShape shape{.activation = kActivations.at(run["activation"]),
                   .optimizer = {.kind = kOptimizers.at(run["optimizer"]),
                                 .weight_decay = data["weight_decay"],
                                 .grad_clip = run["grad_clip"]}};
    Model m = mlp(shape);
    for (int t = 0; t < count(m.graph().tensors); ++t) {
      const std::string& name = at(m.graph().tensors, t).name;
      if (name == "x" || name == "labels") m.values[t] = data[name].get<Numbers>();
      if (data["parameters"].contains(name)) m.values[t] = data["parameters"][name].get<Numbers>();
    }
    Plan p;
    p.numerics.cuts["batch"] = cut_of_sizes({6, 4, 3}, 2);
    std::vector<Sym> keep{m.loss};
    if (m.norm.id >= 0) keep.push_back(m.norm);
    SequentialExecutor e(m.graph(), lower(m.graph(), unify(m.graph()), p, keep));
    feed(e, m);
    const std::string label = run["optimizer"].get<std::string>() + " " + run["activation"].get<std::string>();
    for (std::size_t step = 0; step < run["losses"].size(); ++step) {
      e.step({.number = static_cast<Index>(step) + 1, .lr = data["lr"]});
      EXPECT_NEAR(read(e, m.graph(), m.loss)[0], run["losses"][step].get<double>(), 1e-10) << label << " step " << step;
      const double norm = m.norm.id >= 0 ? read(e, m.graph(), m.norm)[0] : 0;
      EXPECT_NEAR(norm, run["norms"][step].get<double>(), 1e-10) << label;
    }
  }
}

/// Losses of a few steps in f32.
Numbers losses(const Model& m, const Cut& batch) {
  Plan p;
  p.numerics.cuts["batch"] = batch;
  Numbers all = train(m, lowered(m, p), 5);
  all.resize(5);
  return all;
}

TEST(Nn, UnequalTilesGiveTheLossOfEqualOnes) {
  const Model m = mlp({.batch = 128, .features = 20, .classes = 10, .hidden = {32}, .dtype = DType::f32});
  const Numbers whole = losses(m, even_cut(128, 1, 1)), equal = losses(m, even_cut(128, 2, 2));
  const Numbers unequal = losses(m, cut_of_sizes({100, 28}, 2));
  for (std::size_t i = 0; i < whole.size(); ++i) {
    EXPECT_NEAR(equal[i], whole[i], 1e-6 * whole[i]);
    EXPECT_NEAR(unequal[i], whole[i], 1e-6 * whole[i]);
  }
}

TEST(Nn, TheLossIsTheMeanOverRowsThatAreNotIgnored) {
  nn::Builder b{.graph = {}, .inits = {}, .dtype = DType::f64};
  const Sym logits = b.graph.tensor("logits", {{"batch", 4}, {"classes", 3}}, Kind::input, DType::f64);
  const Sym labels = b.graph.tensor("labels", {{"batch", 4}}, Kind::input, DType::i32);
  const nn::Loss loss = nn::cross_entropy(b, logits, labels);
  Plan p;
  p.numerics.cuts["batch"] = cut_of_sizes({1, 3}, 2);
  SequentialExecutor e(b.graph, lower(b.graph, unify(b.graph), p, std::vector<Sym>{loss.loss, loss.correct}));
  const Numbers x{1, 2, 3, 0, 0, 5, 2, 1, 0, -1, 4, 1};
  e.write(logits, to_bytes(x, DType::f64));
  e.write(labels, to_bytes({2, -1, 1, 1}, DType::i32));
  e.step({});
  double sum = 0;
  for (auto [row, label] : {std::pair{0, 2}, {2, 1}, {3, 1}}) {
    double total = 0;
    for (int i = 0; i < 3; ++i) total += std::exp(at(x, row * 3 + i));
    sum += std::log(total) - at(x, row * 3 + label);
  }
  EXPECT_NEAR(read(e, b.graph, loss.loss)[0], sum / 3, 1e-14);
  EXPECT_EQ(read(e, b.graph, loss.correct)[0], 2);
}

TEST(Nn, OptimizersGiveTheSameHoweverParametersAreCut) {
  std::mt19937 random(2);
  using Kind = nn::OptimizerKind;
  for (Kind kind : {Kind::momentum, Kind::adamw, Kind::lion, Kind::lamb, Kind::adafactor}) {
    const Model m = contractions({.kind = kind, .weight_decay = 0.1, .grad_clip = 0.5});
    const Numbers whole = train(m, lowered(m, {}));
    for (int trial = 0; trial < 3; ++trial)
      EXPECT_LT(distance(train(m, lowered(m, random_plan(unify(m.graph()), random, 3))), whole), 1e-9)
          << static_cast<int>(kind);
  }
}

TEST(Nn, TrainingInBf16FollowsThatInFloat) {
  const auto losses_in = [](DType t) {
    const Model m = mlp({.batch = 64, .features = 20, .classes = 5, .hidden = {32, 16}, .dtype = t});
    return losses(m, even_cut(64, 2, 2));
  };
  const Numbers in_float = losses_in(DType::f32), in_bf16 = losses_in(DType::bf16);
  EXPECT_LT(in_float.back(), 0.8 * in_float.front());
  for (std::size_t i = 0; i < in_float.size(); ++i) EXPECT_NEAR(in_bf16[i], in_float[i], 0.02 * in_float[i]);
}

TEST(Nn, Bf16ModelsKeepStepsThatBf16WouldRoundAway) {
  Model m = mlp({.hidden = {8}, .activation = nn::Activation::silu, .dtype = DType::bf16});
  const Sym w{m.graph().nodes[0].args[0]};
  ASSERT_EQ(m.graph()[w].kind, Kind::param);
  ASSERT_EQ(m.graph()[w].dtype, DType::f32);
  m.values[w.id].assign(m.values[w.id].size(), 1);
  SequentialExecutor e(m.graph(), lowered(m, {}));
  feed(e, m);
  // Adam moves by about lr a step; bf16 has nothing between 1 and 1 - 2^-8.
  constexpr double lr = 1e-5;
  for (int s = 1; s <= 10; ++s) e.step({.number = s, .lr = lr});
  double moved = 0;
  for (double x : read(e, m.graph(), w)) moved = std::max(moved, std::abs(x - 1));
  EXPECT_GT(moved, 5 * lr);
  EXPECT_LT(moved, 11 * lr);
}

TEST(Nn, TheModelHasPyTorchsNamesAndBounds) {
  nn::Builder b;
  const nn::Network m = nn::mlp(b, 8, 100, {25}, 10, nn::Activation::relu, 0.5);
  std::vector<std::pair<std::string, double>> inits;
  for (const nn::Init& i : b.inits) inits.emplace_back(b.graph[i.param].name, i.values.bound);
  EXPECT_THAT(inits, ::testing::ElementsAre(std::pair{"layers.0.weight", 0.1}, std::pair{"layers.0.bias", 0.1},
                                            std::pair{"layers.1.weight", 0.2}, std::pair{"layers.1.bias", 0.2}));
  EXPECT_EQ(b.graph[m.logits].shape, Shape({8, 10}));
  EXPECT_EQ(b.graph[b.inits[0].param].shape, Shape({25, 100}));
}

TEST(Nn, InitialValuesDependOnSeedNameAndElementAlone) {
  nn::Builder b{.graph = {}, .inits = {}, .dtype = DType::f64};
  b.param("w", {{"n", 1000}}, {.bound = 0.5});
  const auto bytes = nn::initial_values(b.graph, b.inits[0], 7);
  const Numbers v = from_bytes(bytes, DType::f64);
  double sum = 0, squares = 0;
  for (double x : v) {
    EXPECT_LT(std::abs(x), 0.5);
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / 1000, 0, 0.04);
  EXPECT_NEAR(squares / 1000, 0.25 / 3, 0.01);

  nn::Builder other{.graph = {}, .inits = {}, .dtype = DType::f64};
  other.param("before", {{"m", 3}}, {.bound = 1});
  other.param("w", {{"n", 1000}}, {.bound = 0.5});
  EXPECT_EQ(nn::initial_values(other.graph, other.inits[1], 7), bytes);
  EXPECT_NE(nn::initial_values(b.graph, b.inits[0], 8), bytes);
  other.graph[other.inits[1].param].name = "v";
  EXPECT_NE(nn::initial_values(other.graph, other.inits[1], 7), bytes);
}

TEST(Nn, EachDropoutHasItsOwnKey) {
  nn::Builder b;
  const Sym x = b.graph.tensor("x", {{"n", 64}}, Kind::input);
  EXPECT_EQ(nn::dropout(b, x, 0), x);
  const Sym y = nn::dropout(b, x, 0.5), z = nn::dropout(b, x, 0.5);
  SequentialExecutor e(b.graph, lower(b.graph, unify(b.graph), {}, std::vector<Sym>{y, z}));
  e.write(x, to_bytes(Numbers(64, 1), DType::f32));
  e.step({.seed = 1});
  EXPECT_NE(read(e, b.graph, y), read(e, b.graph, z));
}

}  // namespace
}  // namespace pleiad
