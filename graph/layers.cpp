#include "graph/layers.hpp"

#include <cmath>

#include "codelets/ops/attention.hpp"
#include "codelets/ops/batch_norm.hpp"
#include "codelets/ops/batch_norm_stats.hpp"
#include "codelets/ops/conv2d.hpp"
#include "codelets/ops/embedding.hpp"
#include "codelets/ops/fill.hpp"
#include "codelets/ops/layer_norm.hpp"
#include "codelets/ops/lstm.hpp"

namespace pleiad::nn {
namespace {

/// Axes of x (batch..., in...) and of the result, as letters.
struct DenseNotation {
  std::string batch, in, out;

  DenseNotation(std::size_t rank, const Dense& d)
      : batch(std::string("bcdef").substr(0, rank - d.in_axes)),
        in(std::string("IJK").substr(0, d.in_axes)),
        out(std::string("opq").substr(0, d.out.size())) {}

  /// gelu and silu keep x w^T + b for the gradient.
  std::string text(Activation activation) const {
    const bool keeps = activation == Activation::gelu || activation == Activation::silu;
    const std::string y = batch + out, first = batch + in + "," + out + in + "," + out + "->" + y;
    return keeps ? first + "," + y : first;
  }
};

std::vector<Axis> last_axes(const Tensor& t, std::size_t n) {
  std::vector<Axis> axes;
  for (std::size_t d = t.shape.rank() - n; d < t.shape.rank(); ++d) axes.push_back({t.axis_names[d], t.shape[d]});
  return axes;
}

/// A parameter of the type that sums are kept in: scales, offsets and statistics of norms.
Sym wide_param(Builder& b, std::string name, const Axis& axis, double value) {
  const Sym p = b.graph.tensor(std::move(name), {axis}, Kind::param, wide_of(b.dtype));
  b.inits.push_back({p, {.value = value}});
  return p;
}

Axis last_axis(const Graph& g, Sym x) { return last_axes(g[x], 1)[0]; }

Sym zeros(Builder& b, const Shape& shape) {
  const Sym s = b.graph.one(fill, {}, fill_attrs(0, shape));
  b.graph[s].dtype = b.dtype;
  return s;
}

Index volume(const std::vector<Axis>& axes) {
  Index n = 1;
  for (const Axis& a : axes) n *= a.extent;
  return n;
}

}  // namespace

Sym dense(Builder& b, const std::string& name, Sym x, const Dense& d) {
  const Tensor input = b.graph[x];
  if (input.shape.rank() < d.in_axes)
    throw ShapeError("linear " + name + ": x is " + to_string(input.shape) + "; it needs " + std::to_string(d.in_axes) +
                     " dimension(s) to contract");
  const auto in = last_axes(input, d.in_axes);
  auto weight_axes = d.out;
  weight_axes.insert(weight_axes.end(), in.begin(), in.end());
  const Distribution start{.bound = 1 / std::sqrt(static_cast<double>(volume(in)))};
  const Sym w = b.param(name + ".weight", weight_axes, d.weight.value_or(start));
  const Sym bias = b.param(name + ".bias", d.out, d.bias.value_or(start));
  const auto notation = DenseNotation(input.shape.rank(), d).text(d.activation);
  const Sym y = b.graph.one(pleiad::linear, {x, w, bias}, Attrs::of(LinearAttrs{d.activation}, notation));
  auto& names = b.graph[y].axis_names;
  for (std::size_t i = 0; i < d.out.size(); ++i) names[names.size() - d.out.size() + i] = d.out[i].name;
  return y;
}

Embedding embedding(Builder& b, const std::string& name, Sym ids, const Axis& vocabulary, const Axis& width,
                    const Distribution& start) {
  const Sym table = b.param(name + ".weight", {vocabulary, width}, start);
  return {table, b.graph.one(pleiad::embedding, {ids, table})};
}

Sym layer_norm(Builder& b, const std::string& name, Sym x) {
  const Axis axis = last_axis(b.graph, x);
  return b.graph.one(pleiad::layer_norm,
                     {x, wide_param(b, name + ".weight", axis, 1), wide_param(b, name + ".bias", axis, 0)},
                     Attrs::of(NormAttrs{}));
}

Normalised add_layer_norm(Builder& b, const std::string& name, Sym x, Sym residual) {
  const Axis axis = last_axis(b.graph, x);
  const auto outputs =
      b.graph.call(pleiad::add_layer_norm,
                   {x, residual, wide_param(b, name + ".weight", axis, 1), wide_param(b, name + ".bias", axis, 0)},
                   Attrs::of(NormAttrs{}));
  return {outputs[0], outputs[1]};
}

Sym causal_self_attention(Builder& b, const std::string& name, Sym x, const SelfAttention& a) {
  const Axis width = last_axis(b.graph, x);
  const Axis heads{"heads", a.heads}, one{"", 1}, size{"head_size", width.extent / a.heads};
  const auto project = [&](const char* which, std::vector<Axis> out) {
    return dense(b, name + which, x,
                 {.out = std::move(out), .weight = Distribution{.deviation = a.deviation}, .bias = Distribution{}});
  };
  const Sym q = project(".q_proj", {heads, one, size});
  const Sym k = project(".k_proj", {heads, size}), v = project(".v_proj", {heads, size});
  const Sym y = b.graph.one(attention, {q, k, v}, Attrs::of(AttentionAttrs{.causal = true}));
  return dense(
      b, name + ".c_proj", y,
      {.out = {width}, .in_axes = 3, .weight = Distribution{.deviation = a.out_deviation}, .bias = Distribution{}});
}

Sym conv2d(Builder& b, const std::string& name, Sym x, const Conv& c) {
  const Axis in = last_axis(b.graph, x);
  const auto stride = static_cast<std::int32_t>(c.stride), padding = static_cast<std::int32_t>(c.padding);
  const double fan_out = static_cast<double>(c.size * c.size * c.out.extent);
  const Sym w =
      b.param(name + ".weight", {c.out, in, {"", c.size}, {"", c.size}}, {.deviation = std::sqrt(2 / fan_out)});
  return b.graph.one(pleiad::conv2d, {x, w},
                     conv2d_attrs({.stride = {stride, stride}, .padding = {padding, padding}}, false));
}

Sym batch_norm(Builder& b, const std::string& name, Sym x, bool relu, bool training) {
  const Axis channels = last_axis(b.graph, x);
  const Sym weight = wide_param(b, name + ".weight", channels, 1), bias = wide_param(b, name + ".bias", channels, 0);
  const Sym mean = wide_param(b, name + ".running_mean", channels, 0);
  const Sym var = wide_param(b, name + ".running_var", channels, 1);
  const Attrs attrs = Attrs::of(BatchNormAttrs{.relu = relu});
  if (!training) return b.graph.one(pleiad::batch_norm, {x, mean, var, weight, bias}, attrs);
  const auto stats = b.graph.call(batch_norm_stats, {x});
  b.graph.call(batch_norm_update_stats, {mean, var, stats[0], stats[1], stats[2]}, Attrs::of(BatchNormUpdateAttrs{}));
  return b.graph.one(batch_norm_elemt, {x, stats[1], stats[2], weight, bias}, attrs);
}

Sym lstm(Builder& b, const std::string& name, int layer, Sym x, const Axis& hidden) {
  const Axis in = last_axis(b.graph, x), gates{"gates", 4 * hidden.extent};
  const Distribution start{.bound = 1 / std::sqrt(static_cast<double>(hidden.extent))};
  const auto param = [&](const char* which, std::vector<Axis> axes) {
    return b.param(name + which + std::to_string(layer), std::move(axes), start);
  };
  const Sym w_ih = param(".weight_ih_l", {gates, in}), w_hh = param(".weight_hh_l", {gates, hidden});
  const Sym b_ih = param(".bias_ih_l", {gates}), b_hh = param(".bias_hh_l", {gates});
  const Sym start_state = zeros(b, {b.graph[x].shape[0], hidden.extent});
  return b.graph.one(pleiad::lstm, {x, w_ih, w_hh, b_ih, b_hh, start_state, start_state});
}

}  // namespace pleiad::nn
