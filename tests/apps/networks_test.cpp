#include <gtest/gtest.h>

#include <cstring>

#include "apps/config/resolve.hpp"
#include "apps/train/model.hpp"
#include "apps/train/tensors.hpp"
#include "expect_error.hpp"
#include "graph/executor.hpp"
#include "reference_data.hpp"

namespace pleiad {
namespace {

using nlohmann::json;

Config config_of(const json& c, double lr) {
  std::vector<Setting> settings{{"model.kind", c["kind"].get<std::string>()},
                                {"train.batch", c["batch"].dump()},
                                {"optim.kind", "sgd"},
                                {"optim.lr", std::to_string(lr)}};
  for (const auto& [key, value] : c["keys"].items()) settings.push_back({"model." + key, value.dump()});
  Config config = resolve("", settings).config;
  config.numerics.dtype = DType::f64;
  return config;
}

DataShape shape_of(const json& c) {
  DataShape shape;
  for (const auto& extent : c["sample"]) shape.sample.push_back(extent.get<Index>());
  shape.classes = c["classes"].get<Index>();
  return shape;
}

template <class T>
std::vector<std::byte> bytes_of(const json& numbers) {
  const auto values = numbers.get<std::vector<T>>();
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// Statistics that are not trained start at 0 and 1.
std::vector<std::byte> start_of(const Model& m, const nn::Init& init, const json& parameters) {
  const auto found = parameters.find(m.graph()[init.param].name);
  return found == parameters.end() ? nn::initial_values(m.graph(), init, 1) : bytes_of<double>(*found);
}

std::vector<double> losses(const json& c, double lr, const Plan& plan) {
  const Model m = training_model(config_of(c, lr), shape_of(c), c["batch"].get<Index>());
  SequentialExecutor e(m.graph(), lower(m.graph(), m.classes, plan, m.results()));
  for (const nn::Init& init : m.builder.inits) e.write(init.param, start_of(m, init, c["parameters"]));
  e.write(m.net.x, m.graph()[m.net.x].dtype == DType::i32 ? bytes_of<std::int32_t>(c["x"]) : bytes_of<double>(c["x"]));
  e.write(m.net.labels, bytes_of<std::int32_t>(c["labels"]));
  std::vector<double> all;
  for (Index step = 1; step <= static_cast<Index>(c["losses"].size()); ++step) {
    e.step({.number = step, .lr = lr, .seed = 1});
    all.push_back(read_scalar(e, m.graph(), m.net.out.loss));
  }
  return all;
}

Plan cut_batch(const std::vector<Index>& sizes, int lanes) {
  Plan plan;
  plan.numerics.cuts["batch"] = cut_of_sizes(sizes, lanes);
  return plan;
}

TEST(Networks, LossesOfSixStepsAreThoseOfPyTorchHoweverTheBatchIsCut) {
  const json all = testing::reference_data("networks_torch.json");
  for (const json& c : all["cases"]) {
    const auto batch = c["batch"].get<Index>();
    for (const Plan& plan : {Plan{}, cut_batch({1, batch - 1}, 2), cut_batch({2, 1, batch - 3}, 1)}) {
      const auto ours = losses(c, all["lr"].get<double>(), plan);
      for (std::size_t i = 0; i < ours.size(); ++i)
        EXPECT_NEAR(ours[i], c["losses"][i].get<double>(), 1e-9) << c["kind"] << ", step " << i + 1;
    }
  }
}

TEST(Networks, WhatDoesNotFitIsNamed) {
  nn::Builder b;
  ModelConfig gpt{.kind = "gpt2", .heads = 3, .width = 8, .context = 4};
  EXPECT_THAT(message_of(Exit::usage,
                         [&] {
                           network(b, gpt, {{4}, 7}, 2, Use::training);
                         }),
              ::testing::HasSubstr("model.heads = 3"));
  ModelConfig cnn{.kind = "cnn"};
  EXPECT_THAT(message_of(Exit::usage,
                         [&] {
                           network(b, cnn, {{64}, 7}, 2, Use::training);
                         }),
              ::testing::HasSubstr("needs images"));
}

}  // namespace
}  // namespace pleiad
