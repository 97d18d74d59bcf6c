#include "graph/nn.hpp"

#include "codelets/ops/cast.hpp"
#include "codelets/ops/count_correct.hpp"
#include "codelets/ops/count_valid.hpp"
#include "codelets/ops/dropout.hpp"
#include "codelets/ops/softmax_cross_entropy.hpp"
#include "graph/index.hpp"
#include "graph/layers.hpp"

namespace pleiad::nn {
namespace {

/// The largest dropout key in use; keys start at 1.
std::uint32_t last_dropout_key(const Graph& g) {
  std::uint32_t last = 0;
  for (const Node& n : g.nodes)
    if (n.op == &pleiad::dropout) last = std::max(last, n.attrs.as<DropoutAttrs>().key);
  return last;
}

}  // namespace

Sym Builder::param(std::string name, std::vector<Axis> axes, const Distribution& values) {
  const DType kept = wide_of(dtype);
  const Sym p = graph.tensor(std::move(name), std::move(axes), Kind::param, kept);
  inits.push_back({p, values});
  return dtype == kept ? p : graph.one(cast, {p}, cast_attrs(dtype));
}

Sym linear(Builder& b, const std::string& name, Sym x, const Axis& out, Activation activation) {
  return dense(b, name, x, {.out = {out}, .activation = activation});
}

Sym dropout(Builder& b, Sym x, double p) {
  if (p == 0) return x;
  return b.graph.one(pleiad::dropout, {x}, Attrs::of(DropoutAttrs{.p = p, .key = last_dropout_key(b.graph) + 1}));
}

Loss cross_entropy(Builder& b, Sym logits, Sym labels) {
  Graph& g = b.graph;
  const Sym valid = g.one(count_valid, {labels});
  return {.loss = g.one(softmax_cross_entropy, {logits, labels, valid}),
          .correct = g.one(count_correct, {logits, labels})};
}

Network mlp(Builder& b, Index batch, Index features, const std::vector<Index>& hidden, Index classes,
            Activation activation, double p) {
  const Axis rows{"batch", batch};
  Network m;
  m.x = b.graph.tensor("x", {rows, {"features", features}}, Kind::input, b.dtype);
  m.labels = b.graph.tensor("labels", {rows}, Kind::input, DType::i32);
  Sym x = m.x;
  for (std::size_t i = 0; i < hidden.size(); ++i) {
    const std::string layer = "layers." + std::to_string(i);
    x = dropout(b, linear(b, layer, x, {"hidden" + std::to_string(i), hidden[i]}, activation), p);
  }
  m.logits = linear(b, "layers." + std::to_string(hidden.size()), x, {"classes", classes}, Activation::none);
  m.out = cross_entropy(b, m.logits, m.labels);
  return m;
}

}  // namespace pleiad::nn
