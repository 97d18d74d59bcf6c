#include "codelets/ops/depthwise_conv2d.hpp"

#include "codelets/conv/conv_gpu.hpp"
#include "codelets/conv/conv_onednn.hpp"
#include "codelets/conv/conv_ref.hpp"

namespace pleiad {
namespace {

Conv depthwise(const Tile& x, const Tile& w, const Tile& y, const Attrs& attrs) {
  Conv v = conv_of(x, w, y, attrs);
  v.groups = v.in;
  return v;
}

Conv conv_of_forward(const Call& c) { return depthwise(c[0], c[1], c[2], c.attrs); }
Conv conv_of_dx(const Call& c) { return depthwise(c[2], c[1], c[0], c.attrs); }
Conv conv_of_dw(const Call& c) { return depthwise(c[1], c[2], c[0], c.attrs); }

ConvProblem problem_of(const Call& c, ConvPass pass) {
  Conv conv = conv_of_forward(c);
  if (pass == ConvPass::data) conv = conv_of_dx(c);
  if (pass == ConvPass::weights) conv = conv_of_dw(c);
  return {.pass = pass, .conv = conv, .accumulate = c[2].accumulate};
}

template <ConvPass pass>
void run_onednn(const Call& c) noexcept {
  const ConvProblem p = problem_of(c, pass);
  if (pass == ConvPass::forward) convolve_onednn(p, {.x = c[0].data, .w = c[1].data, .y = c[2].data});
  if (pass == ConvPass::data) convolve_onednn(p, {.x = c[2].data, .w = c[1].data, .y = c[0].data});
  if (pass == ConvPass::weights) convolve_onednn(p, {.x = c[1].data, .w = c[2].data, .y = c[0].data});
}

template <ConvPass pass>
constexpr Impl onednn() {
  return {.name = "onednn", .run = run_onednn<pass>, .fits = [](const Call& c) {
            return onednn_convolves(problem_of(c, pass));
          }};
}

struct Forward {
  template <class T>
  static void run(const Call& c) noexcept {
    convolve<T>(conv_of_forward(c), c[0], c[1], c[2], [](Wide<T> sum, Index) { return sum; });
  }
};
struct GradX {
  template <class T>
  static void run(const Call& c) noexcept {
    convolve_back<T>(conv_of_dx(c), c[0], c[1], c[2]);
  }
};
struct GradW {
  template <class T>
  static void run(const Call& c) noexcept {
    correlate<T>(conv_of_dw(c), c[0], c[1], c[2]);
  }
};

void launch(const Call& c, GpuQueue& q) { gpu_convolve(q, conv_of_forward(c), c[0], c[1], nullptr, false, c[2]); }
void launch_dx(const Call& c, GpuQueue& q) { gpu_convolve_back(q, conv_of_dx(c), c[0], c[1], c[2]); }
void launch_dw(const Call& c, GpuQueue& q) { gpu_correlate(q, conv_of_dw(c), c[0], c[1], c[2]); }

Index extent(char axis, std::span<const Shape> in, const Attrs& attrs) {
  if (in[1][1] != 1) throw ShapeError("depthwise_conv2d: w is " + to_string(in[1]) + ", but its second extent is 1");
  const std::size_t d = axis == 'P' ? 0 : 1;
  return conv_places("depthwise_conv2d", attrs, d, in[0][1 + d], in[1][2 + d]);
}
Index dx_extent(char axis, std::span<const Shape> in, const Attrs& attrs) {
  const std::size_t d = axis == 'H' ? 0 : 1;
  return conv_noted_image("depthwise_conv2d_dx", attrs, d, in[1][2 + d], in[0][1 + d]);
}
Index dw_extent(char axis, std::span<const Shape> in, const Attrs& attrs) {
  if (axis == 'M') return 1;
  const std::size_t d = axis == 'R' ? 0 : 1;
  return conv_noted_window("depthwise_conv2d_dw", attrs, d, in[1][1 + d], in[0][1 + d]);
}

Attrs with_extents(const Attrs& attrs, Index rows, Index cols) {
  auto a = attrs.as<Conv2dAttrs>();
  a.extents = {static_cast<std::int32_t>(rows), static_cast<std::int32_t>(cols)};
  return Attrs::of(a);
}

void gradient(Grad& g) {
  const Shape x = g.shape(g.x(0)), w = g.shape(g.x(1));
  if (g.wants(1)) g.dx(1, g.call(depthwise_conv2d_dw, {g.dy(), g.x(0)}, with_extents(g.attrs(), w[2], w[3]))[0]);
  if (g.wants(0)) g.dx(0, g.call(depthwise_conv2d_dx, {g.dy(), g.x(1)}, with_extents(g.attrs(), x[1], x[2]))[0]);
}

constexpr Conv2dAttrs kSame{.padding = {1, 1}}, kOdd{.stride = {2, 1}, .padding = {1, 0}, .dilation = {1, 2}};

std::vector<Sample> samples() {
  return {{.inputs = {{3, 5, 4, 5}, {5, 1, 3, 3}}, .attrs = Attrs::of(kSame)},
          {.inputs = {{2, 6, 5, 3}, {3, 1, 3, 2}}, .attrs = Attrs::of(kOdd)}};
}
std::vector<Sample> dx_samples() {
  return {{.inputs = {{3, 5, 4, 5}, {5, 1, 3, 3}}, .attrs = with_extents(Attrs::of(kSame), 5, 4)},
          {.inputs = {{2, 3, 3, 3}, {3, 1, 3, 2}}, .attrs = with_extents(Attrs::of(kOdd), 6, 5)}};
}
std::vector<Sample> dw_samples() {
  return {{.inputs = {{3, 5, 4, 5}, {3, 5, 4, 5}}, .attrs = with_extents(Attrs::of(kSame), 3, 3)},
          {.inputs = {{2, 3, 3, 3}, {2, 6, 5, 3}}, .attrs = with_extents(Attrs::of(kOdd), 3, 2)}};
}

}  // namespace

const Op depthwise_conv2d{.name = "depthwise_conv2d",
                          .axes = "nHWc,cMRS->nPQc",
                          .operands = {{{"x"}, {"w"}, {"y"}}},
                          .flops = 2,
                          .over = "nPQcRS",
                          .extent = extent,
                          .grad = gradient,
                          .impls = {{gpu_impl<launch>(), onednn<ConvPass::forward>(), cpu_impl<Forward>("ref")}},
                          .samples = samples};
const Op depthwise_conv2d_dx{.name = "depthwise_conv2d_dx",
                             .axes = "nPQc,cMRS->nHWc",
                             .operands = {{{"dy"}, {"w"}, {"dx"}}},
                             .flops = 2,
                             .over = "nPQcRS",
                             .extent = dx_extent,
                             .impls = {{gpu_impl<launch_dx>(), onednn<ConvPass::data>(), cpu_impl<GradX>("ref")}},
                             .samples = dx_samples};
const Op depthwise_conv2d_dw{.name = "depthwise_conv2d_dw",
                             .axes = "nPQc,nHWc->cMRS",
                             .operands = {{{"dy"}, {"x"}, {"dw"}}},
                             .flops = 2,
                             .over = "nPQcRS",
                             .extent = dw_extent,
                             .impls = {{gpu_impl<launch_dw>(), onednn<ConvPass::weights>(), cpu_impl<GradW>("ref")}},
                             .samples = dw_samples};

}  // namespace pleiad
