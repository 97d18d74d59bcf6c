#include <gtest/gtest.h>

#include "reference_data.hpp"
#include "training.hpp"

#include "codelets/ops/batch_norm.hpp"
#include "codelets/ops/batch_norm_stats.hpp"

namespace pleiad {
namespace {

using namespace pleiad::testing;

/// Batch normalisation in training, relu and the weighted sum of tests/data/norms.json.
struct BatchNorm {
  nlohmann::json json = reference_data("norms.json")["batch_norm_relu"];
  Graph graph;
  Sym x = tensor("x", {{"n", 3}, {"h", 2}, {"w", 3}, {"c", 6}}, Kind::param);
  Sym weight = tensor("weight", {{"c", 6}}, Kind::param), bias = tensor("bias", {{"c", 6}}, Kind::param);
  Sym dy = tensor("dy", {{"n", 3}, {"h", 2}, {"w", 3}, {"c", 6}}, Kind::input);
  Sym running_mean = tensor("running_mean", {{"c", 6}}, Kind::state);
  Sym running_var = tensor("running_var", {{"c", 6}}, Kind::state);
  std::vector<Sym> gradients;

  BatchNorm() {
    const auto stats = graph.call(batch_norm_stats, {x});
    graph.call(batch_norm_update_stats, {running_mean, running_var, stats[0], stats[1], stats[2]},
               Attrs::of(BatchNormUpdateAttrs{.momentum = 1}));
    const Attrs attrs = Attrs::of(BatchNormAttrs{.eps = 1e-3, .relu = true});
    const Sym y = graph.one(batch_norm_elemt, {x, stats[1], stats[2], weight, bias}, attrs);
    const auto all = graph.backward(graph.one(einsum, {y, dy}, einsum_attrs("...,...->")));
    for (Sym s : {x, weight, bias}) gradients.push_back(at(all, s.id));
  }
  Sym tensor(const char* name, std::vector<Axis> axes, Kind kind) {
    return graph.tensor(name, std::move(axes), kind, DType::f64);
  }
  Numbers numbers(const nlohmann::json& j) const { return j["at"].get<Numbers>(); }

  /// Gradients of x, weight and bias, then the running statistics, after one step of the plan.
  std::vector<Numbers> run(const Plan& p) const {
    SequentialExecutor e(graph, lower(graph, unify(graph), p, gradients));
    const auto write = [&](Sym s, const Numbers& v) { e.write(s, to_bytes(v, DType::f64)); };
    write(x, numbers(json["x"][0]));
    write(weight, numbers(json["x"][1]));
    write(bias, numbers(json["x"][2]));
    write(dy, numbers(json["dy"][0]));
    for (Sym s : {running_mean, running_var}) write(s, Numbers(6));
    e.step({});
    std::vector<Numbers> results;
    for (Sym s : gradients) results.push_back(read(e, graph, s));
    for (Sym s : {running_mean, running_var}) results.push_back(read(e, graph, s));
    return results;
  }
};

TEST(BatchNormInTraining, AgreesWithPyTorchHoweverTheBatchIsCut) {
  const BatchNorm model;
  Numbers variance = model.numbers(model.json["square"]);
  for (double& v : variance) v /= 17;
  const auto& dx = model.json["dx"];
  const std::vector<Numbers> wanted{model.numbers(dx[0]), model.numbers(dx[1]), model.numbers(dx[2]),
                                    model.numbers(model.json["mean"]), variance};
  std::mt19937 random(2);
  for (int trial = 0; trial < 20; ++trial) {
    const auto got = model.run(random_plan(unify(model.graph), random, 3));
    for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_LT(distance(got[i], wanted[i]), 1e-12) << i;
  }
}

}  // namespace
}  // namespace pleiad
