#include "codelets/ops/conv2d.hpp"

#include <algorithm>

#include "codelets/blas/gemm.hpp"
#include "codelets/conv/conv_gpu.hpp"
#include "codelets/conv/conv_onednn.hpp"
#include "codelets/conv/conv_ref.hpp"
#include "codelets/ops/conv2d_dw.hpp"
#include "codelets/ops/conv2d_dx.hpp"
#include "codelets/ops/relu.hpp"

namespace pleiad {
namespace {

bool has_bias(const Signature& s) { return s.inputs() == 3; }
bool has_relu(const Attrs& attrs) { return attrs.as<Conv2dAttrs>().relu; }

ConvProblem problem_of(const Call& c, bool winograd) {
  return {.conv = conv_of(c[0], c[1], c.tiles.back(), c.attrs),
          .bias = has_bias(c.signature) && adds_bias(c[0]),
          .winograd = winograd,
          .accumulate = c.tiles.back().accumulate};
}

/// relu is a pass of our own: the library's turns NaN into 0, which would hide that a run diverged.
template <bool winograd>
void run_onednn(const Call& c) noexcept {
  const ConvProblem p = problem_of(c, winograd);
  const Tile& y = c.tiles.back();
  convolve_onednn(p, {.x = c[0].data, .w = c[1].data, .y = y.data, .b = p.bias ? c[2].data : nullptr});
  if (!has_relu(c.attrs)) return;
  const Index n = p.conv.out;
  finish({.dtype = y.dtype, .m = y.size() / n, .n = n, .c_row = n, .relu = true}, {.c = y.data});
}

template <bool winograd>
bool onednn_fits(const Call& c) {
  const bool clamps_a_sum = has_relu(c.attrs) && c.tiles.back().accumulate;
  return !clamps_a_sum && onednn_convolves(problem_of(c, winograd));
}

struct Reference {
  template <class T>
  static void run(const Call& c) noexcept {
    const ConvProblem p = problem_of(c, false);
    const bool relu = has_relu(c.attrs);
    convolve<T>(p.conv, c[0], c[1], c.tiles.back(), [&](Wide<T> sum, Index k) {
      if (p.bias) sum += get<T>(c[2], k);
      return relu && sum < 0 ? Wide<T>(0) : sum;
    });
  }
};

void launch(const Call& c, GpuQueue& q) {
  const ConvProblem p = problem_of(c, false);
  gpu_convolve(q, p.conv, c[0], c[1], p.bias ? &c[2] : nullptr, has_relu(c.attrs), c.tiles.back());
}

Index extent(char axis, std::span<const Shape> in, const Attrs& attrs) {
  const Index groups = attrs.as<Conv2dAttrs>().groups, x = in[0][3], out = in[1][0], of_group = in[1][1];
  if (groups < 1 || of_group * groups != x || out % groups != 0)
    throw ShapeError("conv2d: w is " + to_string(in[1]) + ", but x has " + std::to_string(x) + " channels in " +
                     std::to_string(groups) + " groups");
  const std::size_t d = axis == 'P' ? 0 : 1;
  return conv_places("conv2d", attrs, d, in[0][1 + d], in[1][2 + d]);
}

Attrs with_extents(const Attrs& attrs, const Shape& shape, std::size_t first, const std::string& notation) {
  auto a = attrs.as<Conv2dAttrs>();
  a.extents = {static_cast<std::int32_t>(shape[first]), static_cast<std::int32_t>(shape[first + 1])};
  return Attrs::of(a, notation);
}

void gradient(Grad& g) {
  const auto& o = g.signature().operands;
  const bool bias = has_bias(g.signature());
  const std::string &x = o[0].axes, &w = o[1].axes, &y = o.back().axes;
  const Sym dz = has_relu(g.attrs()) ? g.call(relu_grad, {g.y(), g.dy()})[0] : g.dy();
  if (g.wants(1) || (bias && g.wants(2))) {
    const std::string notation = y + "," + x + "->" + w + (bias ? "," + o[2].axes : "");
    const auto dw = g.call(conv2d_dw, {dz, g.x(0)}, with_extents(g.attrs(), g.shape(g.x(1)), 2, notation));
    g.dx(1, dw[0]);
    if (bias) g.dx(2, dw[1]);
  }
  if (!g.wants(0)) return;
  const auto attrs = with_extents(g.attrs(), g.shape(g.x(0)), 1, y + "," + w + "->" + x);
  g.dx(0, g.call(conv2d_dx, {dz, g.x(1)}, attrs)[0]);
}

Sample sample(Shape x, Shape w, const Conv2dAttrs& attrs, bool bias) {
  std::vector<Shape> inputs{x, w};
  if (bias) inputs.push_back({w[0]});
  return {.inputs = inputs, .attrs = conv2d_attrs(attrs, bias)};
}

std::vector<Sample> samples() {
  return {sample({3, 5, 4, 3}, {5, 3, 3, 3}, {.padding = {1, 1}}, false),
          sample({2, 6, 5, 2}, {3, 2, 3, 2}, {.stride = {2, 1}, .padding = {1, 0}, .dilation = {1, 2}}, true),
          sample({2, 4, 4, 2}, {3, 2, 1, 1}, {.stride = {2, 2}, .relu = true}, true),
          sample({2, 4, 3, 4}, {6, 2, 3, 3}, {.padding = {1, 1}, .groups = 2}, true)};
}

}  // namespace

Attrs conv2d_attrs(const Conv2dAttrs& a, bool bias) {
  std::string x = "nHWc", w = "kcRS", b = "k", y = "nPQk";
  if (a.relu) x = "nHWC", w = "kCRS";
  if (a.groups > 1) x = "nHWI", w = "KGRS", b = "K", y = "nPQK";
  return Attrs::of(a, x + "," + w + (bias ? "," + b : "") + "->" + y);
}

const Op conv2d{.name = "conv2d",
                .operands = {{{"x"}, {"w"}, {"b"}, {"y"}}},
                .flops = 2,
                .over = "nPQkKcCGRS",
                .extent = extent,
                .grad = gradient,
                .impls = {{gpu_impl<launch>(),
                           {.name = "onednn_winograd", .run = run_onednn<true>, .fits = onednn_fits<true>},
                           {.name = "onednn", .run = run_onednn<false>, .fits = onednn_fits<false>},
                           cpu_impl<Reference>("ref")}},
                .samples = samples};

}  // namespace pleiad
