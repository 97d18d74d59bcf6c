#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expect_error.hpp"
#include "local_ops.hpp"
#include "training.hpp"

#include "codelets/ops/add.hpp"
#include "codelets/ops/dropout.hpp"
#include "codelets/ops/fill.hpp"
#include "codelets/ops/relu.hpp"
#include "codelets/ops/retile.hpp"
#include "codelets/ops/scale.hpp"
#include "codelets/ops/silu.hpp"

namespace pleiad {
namespace {

using namespace pleiad::testing;

/// A loss over parameters, built by `build`.
struct Problem {
  Graph graph;
  std::vector<Sym> params;
  Sym loss;
  Numbers labels;
  Sym ids;

  Sym param(std::vector<Axis> axes) {
    params.push_back(graph.tensor("p" + std::to_string(params.size()), std::move(axes), Kind::param, DType::f64));
    return params.back();
  }
  /// sum of the elements of y times fixed weights
  Sym weighted(Sym y) {
    const Shape shape = graph[y].shape;
    const Sym w = graph.one(silu, {graph.one(fill, {}, fill_attrs(0.7, shape))});
    graph[graph.nodes[graph.nodes.size() - 2].args[0]].dtype = graph[w].dtype = DType::f64;
    return graph.one(einsum, {y, w}, einsum_attrs("...,...->"));
  }
};
using Build = std::function<Sym(Problem&)>;

Numbers run(const Problem& p, const std::vector<Numbers>& at_point, const std::vector<Sym>& wanted) {
  SequentialExecutor e(p.graph, lower(p.graph, unify(p.graph), {}, wanted));
  for (std::size_t i = 0; i < p.params.size(); ++i) e.write(p.params[i], to_bytes(at_point[i], DType::f64));
  if (p.ids.id >= 0) e.write(p.ids, to_bytes(p.labels, DType::i32));
  e.step({.seed = 4});
  Numbers all;
  for (Sym s : wanted)
    for (double v : read(e, p.graph, s)) all.push_back(v);
  return all;
}

/// Compares backward() with central differences of the forward part.
void expect_right(const Build& build) {
  Problem forward, both;
  forward.loss = build(forward);
  both.loss = build(both);
  const auto gradients = both.graph.backward(both.loss);
  std::mt19937 random(8);
  std::vector<Numbers> point;
  for (Sym p : both.params) point.push_back(normal(both.graph[p].shape.volume(), random));
  for (std::size_t i = 0; i < point.size(); ++i) {
    const Sym g = at(gradients, both.params[i].id);
    ASSERT_GE(g.id, 0);
    const Numbers computed = run(both, point, {g});
    for (std::size_t j = 0; j < point[i].size(); ++j) {
      auto up = point, down = point;
      up[i][j] += 1e-5;
      down[i][j] -= 1e-5;
      const double numeric = (run(forward, up, {forward.loss})[0] - run(forward, down, {forward.loss})[0]) / 2e-5;
      EXPECT_NEAR(computed[j], numeric, 2e-7 * std::max(1.0, std::abs(numeric)))
          << "parameter " << i << " element " << j;
    }
  }
}

TEST(Backward, OfAChain) {
  expect_right([](Problem& p) { return p.weighted(p.graph.one(gelu, {p.graph.one(silu, {p.param({{"n", 7}})})})); });
}

TEST(Backward, OfATensorUsedTwice) {
  expect_right([](Problem& p) {
    const Sym x = p.param({{"a", 3}, {"b", 4}});
    return p.weighted(p.graph.one(add, {p.graph.one(gelu, {x}), p.graph.one(silu, {x})}));
  });
}

TEST(Backward, OfASumWithItself) {
  expect_right([](Problem& p) {
    const Sym x = p.param({{"a", 3}});
    return p.weighted(p.graph.one(gelu, {p.graph.one(add, {x, x})}));
  });
}

TEST(Backward, OfResidualsWhoseGradientIsPassedOn) {
  expect_right([](Problem& p) {
    const Sym x = p.param({{"a", 3}, {"b", 4}});
    const Sym y = p.graph.one(add, {x, p.graph.one(gelu, {x})});
    return p.weighted(p.graph.one(add, {y, p.graph.one(silu, {p.graph.one(add, {y, x})})}));
  });
}

TEST(Backward, OfATiedMatrix) {
  expect_right([](Problem& p) {
    const Sym x = p.param({{"a", 3}, {"b", 4}}), w = p.param({{"b", 4}, {"c", 5}});
    const Sym h = p.graph.one(einsum, {x, w}, einsum_attrs("ab,bc->ac"));
    return p.weighted(p.graph.one(einsum, {p.graph.one(gelu, {h}), w}, einsum_attrs("ac,bc->ab")));
  });
}

TEST(Backward, ThroughRetileAndScaleAndDropout) {
  expect_right([](Problem& p) {
    const Sym x = p.param({{"a", 5}});
    const Sym y = p.graph.one(retile, {p.graph.one(scale, {x}, Attrs::of(ScaleAttrs{1.5}))});
    return p.weighted(p.graph.one(gelu, {p.graph.one(dropout, {y}, Attrs::of(DropoutAttrs{.p = 0.3, .key = 2}))}));
  });
}

TEST(Backward, OfLinearLayersAndCrossEntropy) {
  for (const auto activation : {nn::Activation::gelu, nn::Activation::silu, nn::Activation::none})
    for (const double factor : {1.0, 0.3})  // the loss itself, and a multiple of it
      expect_right([&](Problem& p) {
        nn::Builder b{.graph = {}, .inits = {}, .dtype = DType::f64};
        b.graph = std::move(p.graph);
        p.ids = b.graph.tensor("ids", {{"batch", 6}}, Kind::input, DType::i32);
        p.labels = {0, 1, -1, 2, 1, 0};
        const Sym x = b.graph.tensor("x", {{"batch", 6}, {"in", 4}}, Kind::param, DType::f64);
        const Sym y = nn::linear(b, "b", nn::linear(b, "a", x, {"h", 5}, activation), {"c", 3}, nn::Activation::none);
        const Sym loss = nn::cross_entropy(b, y, p.ids).loss;
        p.params = {x};
        for (const nn::Init& i : b.inits) p.params.push_back(i.param);
        p.graph = std::move(b.graph);
        return factor == 1.0 ? loss : p.graph.one(scale, {loss}, Attrs::of(ScaleAttrs{factor}));
      });
}

TEST(Backward, AccumulatesUnreadGradientsIntoOneTensor) {
  Problem p;
  const Sym w = p.param({{"b", 4}, {"c", 5}}), x = p.param({{"a", 3}, {"b", 4}});
  const Sym h = p.graph.one(einsum, {x, w}, einsum_attrs("ab,bc->ac"));
  p.loss = p.weighted(p.graph.one(einsum, {h, w}, einsum_attrs("ac,bc->ab")));
  const Sym dw = at(p.graph.backward(p.loss), w.id);
  int contributions = 0;
  for (const Node& n : p.graph.nodes) {
    EXPECT_NE(n.op, &add);
    contributions += n.args.back() == dw;
  }
  EXPECT_EQ(contributions, 2);
}

TEST(Backward, GivesNoGradientToWhatDoesNotMatter) {
  Problem p;
  const Sym used = p.param({{"n", 3}}), unused = p.param({{"n", 3}});
  const Sym input = p.graph.tensor("input", {{"n", 3}}, Kind::input, DType::f64);
  p.loss = p.weighted(p.graph.one(add, {used, input}));
  const auto gradients = p.graph.backward(p.loss);
  EXPECT_GE(at(gradients, used.id).id, 0);
  EXPECT_EQ(at(gradients, unused.id).id, -1);
  EXPECT_EQ(at(gradients, input.id).id, -1);
}

TEST(Backward, NamesAnOpWithoutARule) {
  Problem p;
  const Sym y = p.graph.one(past, {p.param({{"t", 3}, {"s", 3}})});
  p.loss = p.weighted(y);
  EXPECT_THAT(message_of(Exit::internal, [&] { p.graph.backward(p.loss); }),
              ::testing::HasSubstr("past has no gradient rule"));
  EXPECT_THAT(message_of(Exit::usage, [&] { p.graph.backward(y); }), ::testing::HasSubstr("must be a scalar"));
}

}  // namespace
}  // namespace pleiad
