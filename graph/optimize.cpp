#include "codelets/ops/adafactor.hpp"
#include "codelets/ops/adam.hpp"
#include "codelets/ops/clip_coefficient.hpp"
#include "codelets/ops/einsum.hpp"
#include "codelets/ops/lamb.hpp"
#include "codelets/ops/lion.hpp"
#include "codelets/ops/momentum.hpp"
#include "codelets/ops/scale_by.hpp"
#include "codelets/ops/sgd.hpp"
#include "codelets/ops/sum_squares.hpp"
#include "graph/index.hpp"
#include "graph/nn.hpp"

namespace pleiad::nn {
namespace {

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

/// State with the dimensions of p, but for one of them.
Sym state_without(Graph& g, Sym p, const std::string& prefix, std::size_t dim) {
  std::vector<Axis> axes;
  for (std::size_t d = 0; d < g[p].shape.rank(); ++d)
    if (d != dim) axes.push_back({g[p].axis_names[d], g[p].shape[d]});
  const Sym s = g.tensor(prefix + "." + g[p].name, axes, Kind::state, wide_of(g[p].dtype));
  g[s].family = g[p].family;
  return s;
}

Sym state_of(Graph& g, Sym p, const std::string& prefix) {
  const Sym s = state_without(g, p, prefix, g[p].shape.rank());
  g.tie(p, s);
  return s;
}

void update_with_lamb(Graph& g, Sym p, Sym gradient, const Optimizer& o) {
  const LambAttrs attrs{.beta1 = o.beta1, .beta2 = o.beta2, .eps = o.eps, .weight_decay = o.weight_decay};
  const auto direction =
      g.call(lamb_direction, {p, state_of(g, p, "exp_avg"), state_of(g, p, "exp_avg_sq"), gradient}, Attrs::of(attrs));
  g.tie(p, direction[0]);
  g.call(lamb, {p, direction[0], direction[1], direction[2]}, Attrs::of(attrs));
}

/// What adafactor subtracts from p, and the sums of squares of p and of that.
std::vector<Sym> adafactor_direction(Graph& g, Sym p, Sym gradient, const Attrs& attrs) {
  const std::size_t rank = g[p].shape.rank();
  if (rank < 2) return g.call(adafactor_update_1d, {p, state_of(g, p, "variance"), gradient}, attrs);
  const Sym row = state_without(g, p, "row_var", rank - 1), column = state_without(g, p, "col_var", rank - 2);
  const auto means = g.call(adafactor_squares, {gradient}, attrs);
  g.call(adafactor_average, {row, means[0]}, attrs);
  g.call(adafactor_average, {column, means[1]}, attrs);
  const Sym row_mean = g.one(einsum, {row}, einsum_attrs("...r->...", "r"));
  return g.call(adafactor_update, {gradient, row, column, row_mean, p}, attrs);
}

void update_with_adafactor(Graph& g, Sym p, Sym gradient, const Optimizer& o) {
  const Attrs attrs = Attrs::of(AdafactorAttrs{.weight_decay = o.weight_decay});
  const auto direction = adafactor_direction(g, p, gradient, attrs);
  g.tie(p, direction[0]);
  g.call(adafactor, {p, direction[0], direction[1], direction[2]}, attrs);
}

void update(Graph& g, Sym p, Sym gradient, const Optimizer& o) {
  using Kind = OptimizerKind;
  switch (o.kind) {
    case Kind::sgd:
      g.call(sgd, {p, gradient}, Attrs::of(SgdAttrs{.weight_decay = o.weight_decay}));
      return;
    case Kind::momentum:
      g.call(momentum, {p, state_of(g, p, "momentum_buffer"), gradient},
             Attrs::of(MomentumAttrs{.momentum = o.momentum, .weight_decay = o.weight_decay}));
      return;
    case Kind::lion:
      g.call(lion, {p, state_of(g, p, "exp_avg"), gradient},
             Attrs::of(LionAttrs{.beta1 = o.beta1, .beta2 = o.beta2, .weight_decay = o.weight_decay}));
      return;
    case Kind::lamb:
      return update_with_lamb(g, p, gradient, o);
    case Kind::adafactor:
      return update_with_adafactor(g, p, gradient, o);
    case Kind::adam:
    case Kind::adamw: {
      const AdamAttrs attrs{.beta1 = o.beta1, .beta2 = o.beta2, .eps = o.eps, .weight_decay = o.weight_decay};
      const Sym m = state_of(g, p, "exp_avg"), v = state_of(g, p, "exp_avg_sq");
      g.call(o.kind == Kind::adam ? adam : adamw, {p, m, v, gradient}, Attrs::of(attrs));
    }
  }
}

}  // namespace

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

}  // namespace pleiad::nn
