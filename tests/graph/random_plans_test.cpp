#include <gtest/gtest.h>

#include <algorithm>

#include "training.hpp"

namespace pleiad {
namespace {

using namespace pleiad::testing;

struct Case {
  std::string name;
  Model model;
};

std::vector<Case> cases() {
  using nn::Activation, nn::OptimizerKind;
  const std::vector<std::pair<std::string, Activation>> activations{
      {"none", Activation::none}, {"relu", Activation::relu}, {"gelu", Activation::gelu}, {"silu", Activation::silu}};
  const std::vector<std::pair<std::string, nn::Optimizer>> optimizers{
      {"sgd", {.kind = OptimizerKind::sgd, .weight_decay = 0.01}},
      {"momentum", {.kind = OptimizerKind::momentum, .grad_clip = 0.3}},
      {"adam", {.kind = OptimizerKind::adam, .eps = 1e-3, .weight_decay = 0.01}},
      {"adamw", {.kind = OptimizerKind::adamw, .eps = 1e-3, .weight_decay = 0.01, .grad_clip = 0.3}}};
  std::vector<Case> all;
  for (std::size_t a = 0; a < activations.size(); ++a)
    for (std::size_t o = 0; o < optimizers.size(); ++o)
      all.push_back({activations[a].first + "/" + optimizers[o].first, mlp({.activation = activations[a].second,
                                                                            .dropout = (a + o) % 2 ? 0.3 : 0,
                                                                            .optimizer = optimizers[o].second})});
  all.push_back({"contractions", contractions({.kind = OptimizerKind::momentum, .grad_clip = 0.5})});
  return all;
}

TEST(RandomPlans, EqualTheUnsplitRun) {
  std::mt19937 random(11);
  int plans = 0;
  for (const auto& [name, model] : cases()) {
    const Classes classes = unify(model.graph());
    const Numbers whole = train(model, lowered(model));
    for (int i = 0; i < (name == "contractions" ? 60 : 8); ++i, ++plans) {
      const Plan plan = random_plan(classes, random, 1 + i % 4);
      EXPECT_LT(distance(whole, train(model, lowered(model, plan))), 1e-12) << name << "\n" << to_json(plan);
    }
  }
  EXPECT_GE(plans, 100);
}

TEST(RandomPlans, NeitherOrderNorFusionNorSlotsNorRanksChangeABit) {
  std::mt19937 random(12);
  const std::vector<Model> models{contractions(), mlp({.activation = nn::Activation::gelu, .dropout = 0.2})};
  for (int i = 0; i < 40; ++i) {
    const Model& model = models[static_cast<std::size_t>(i) % models.size()];
    Plan plan = random_plan(unify(model.graph()), random, 1 + i % 4);
    TaskGraph tasks = lowered(model, plan);
    const Numbers expected = train(model, tasks, 3);
    for (unsigned seed : {1u, 77u}) EXPECT_TRUE(same_bits(expected, train(model, tasks, 3, seed))) << to_json(plan);

    predict_at_random(tasks, random);
    fuse(tasks, 1 + random_below(random, 300));
    EXPECT_TRUE(same_bits(expected, train(model, tasks, 3, 5))) << "fused\n" << to_json(plan);
    assign_slots(tasks);
    EXPECT_TRUE(same_bits(expected, train(model, tasks, 3))) << "slots\n" << to_json(plan);
    for (unsigned seed : {2u, 78u})
      EXPECT_TRUE(same_bits(expected, train(model, tasks, 3, seed))) << "slots\n" << to_json(plan);

    place_at_random(plan, random);
    EXPECT_TRUE(same_bits(expected, train(model, lowered(model, plan), 3))) << to_json(plan);
  }
}

// A planted error: the first contribution to some tile adds to what is there instead of overwriting it.
TEST(RandomPlans, AMissingFirstOverwriteIsCaught) {
  const Model model = contractions();
  Plan plan;
  plan.numerics.cuts["batch"] = even_cut(12, 3, 1);
  const TaskGraph good = lowered(model, plan);
  int planted = 0;
  for (std::size_t i = 0; i < good.tasks.size(); ++i)
    for (std::size_t a = 0; a < good.tasks[i].calls[0].args.size(); ++a) {
      if (good.tasks[i].calls[0].args[a].access != Access::write) continue;
      const int buffer = good.tasks[i].calls[0].args[a].buffer;
      const Buffer& b = at(good.buffers, buffer);
      if (b.last_use == static_cast<int>(i) && b.tensor != model.loss) continue;  // nobody looks at it
      if (b.dtype == DType::i32 || model.graph()[b.tensor].name == "count_correct") continue;
      TaskGraph bad = good;
      bad.tasks[i].calls[0].args[a].access = Access::update;
      bad.tasks[i].calls[0].args[a].accumulate = true;
      const Numbers v = train(model, bad, 1);
      EXPECT_TRUE(std::any_of(v.begin(), v.end(), [](double x) { return std::isnan(x); }))
          << to_text(model.graph(), bad, bad.tasks[i].calls[0]);
      ++planted;
    }
  EXPECT_GT(planted, 20);
}

}  // namespace
}  // namespace pleiad
