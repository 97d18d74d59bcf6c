#include "graph/nn.hpp"

#include <cmath>

#include "codelets/ops/cast.hpp"
#include "codelets/ops/count_correct.hpp"
#include "codelets/ops/count_valid.hpp"
#include "codelets/ops/dropout.hpp"
#include "codelets/ops/softmax_cross_entropy.hpp"
#include "graph/index.hpp"

namespace pleiad::nn {
namespace {

/// The notation of a fully connected layer on any number of batch axes; gelu and silu keep x w^T + b for the gradient.
std::string linear_notation(std::size_t rank, Activation activation) {
  const std::string batch = std::string("bcdef").substr(0, rank - 1);
  const bool keeps = activation == Activation::gelu || activation == Activation::silu;
  std::string notation = batch;
  notation.append("I,oI,o->").append(batch).append("o");
  return keeps ? notation.append(",").append(batch).append("o") : notation;
}

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
  const Tensor& input = b.graph[x];
  if (input.shape.empty()) throw ShapeError("linear " + name + ": x is a scalar; it needs a dimension to contract");
  const Axis in{input.axis_names.back(), input.shape.back()};
  const std::string notation = linear_notation(input.shape.rank(), activation), out_name = out.name;
  const Distribution start{.bound = 1 / std::sqrt(static_cast<double>(in.extent))};
  const Sym w = b.param(name + ".weight", {out, in}, start), bias = b.param(name + ".bias", {out}, start);
  const Sym y = b.graph.one(pleiad::linear, {x, w, bias}, Attrs::of(LinearAttrs{activation}, notation));
  b.graph[y].axis_names.back() = out_name;
  return y;
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
