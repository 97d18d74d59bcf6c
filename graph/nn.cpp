#include "graph/nn.hpp"

#include <cmath>

#include "codelets/ops/adam.hpp"
#include "codelets/ops/clip_coefficient.hpp"
#include "codelets/ops/count_correct.hpp"
#include "codelets/ops/count_valid.hpp"
#include "codelets/ops/dropout.hpp"
#include "codelets/ops/momentum.hpp"
#include "codelets/ops/scale_by.hpp"
#include "codelets/ops/sgd.hpp"
#include "codelets/ops/softmax_cross_entropy.hpp"
#include "codelets/ops/sum_squares.hpp"
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

std::vector<std::pair<Sym, Sym>> parameters_and_gradients(const Graph& g, const std::vector<Sym>& gradients) {
  std::vector<std::pair<Sym, Sym>> pairs;
  for (int t = 0; t < count(gradients); ++t)
    if (at(g.tensors, t).kind == Kind::param && at(gradients, t).id >= 0) pairs.emplace_back(Sym{t}, at(gradients, t));
  return pairs;
}

/// Scales all gradients so that their global norm is at most `max_norm`; returns the norm before.
Sym clip(Graph& g, std::vector<std::pair<Sym, Sym>>& pairs, double max_norm) {
  Sym norm2;
  for (auto [p, gradient] : pairs) {
    if (norm2.id < 0)
      norm2 = g.one(sum_squares, {gradient});
    else
      g.call_into(sum_squares, {gradient}, {norm2});
  }
  const auto clipped = g.call(clip_coefficient, {norm2}, Attrs::of(ClipAttrs{.max_norm = max_norm}));
  for (auto& [p, gradient] : pairs) {
    gradient = g.one(scale_by, {gradient, clipped[0]});
    g.tie(p, gradient);
  }
  return clipped[1];
}

Sym state_of(Graph& g, Sym p, const std::string& prefix) {
  std::vector<Axis> axes;
  for (std::size_t d = 0; d < g[p].shape.rank(); ++d) axes.push_back({g[p].axis_names[d], g[p].shape[d]});
  const Sym s = g.tensor(prefix + "." + g[p].name, axes, Kind::state, wide_of(g[p].dtype));
  g.tie(p, s);
  return s;
}

void update(Graph& g, Sym p, Sym gradient, const Optimizer& o) {
  switch (o.kind) {
    case OptimizerKind::sgd:
      g.call(sgd, {p, gradient}, Attrs::of(SgdAttrs{.weight_decay = o.weight_decay}));
      return;
    case OptimizerKind::momentum:
      g.call(momentum, {p, state_of(g, p, "momentum_buffer"), gradient},
             Attrs::of(MomentumAttrs{.momentum = o.momentum, .weight_decay = o.weight_decay}));
      return;
    case OptimizerKind::adam:
    case OptimizerKind::adamw: {
      const AdamAttrs attrs{.beta1 = o.beta1, .beta2 = o.beta2, .eps = o.eps, .weight_decay = o.weight_decay};
      const Sym m = state_of(g, p, "exp_avg"), v = state_of(g, p, "exp_avg_sq");
      g.call(o.kind == OptimizerKind::adam ? adam : adamw, {p, m, v, gradient}, Attrs::of(attrs));
    }
  }
}

}  // namespace

Sym Builder::param(std::string name, std::vector<Axis> axes, const Distribution& values) {
  const Sym p = graph.tensor(std::move(name), std::move(axes), Kind::param, dtype);
  inits.push_back({p, values});
  return p;
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

Sym optimize(Builder& b, Sym loss, const Optimizer& o) {
  Graph& g = b.graph;
  auto pairs = parameters_and_gradients(g, g.backward(loss));
  const int stage = g.stage;
  const Sym norm = o.grad_clip > 0 && !pairs.empty() ? clip(g, pairs, o.grad_clip) : Sym{};
  for (auto [p, gradient] : pairs) {
    g.stage = g[p].stage;
    update(g, p, gradient, o);
  }
  g.stage = stage;
  return norm;
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
