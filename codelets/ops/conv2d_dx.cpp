#include "codelets/ops/conv2d_dx.hpp"

#include "codelets/conv/conv_gpu.hpp"
#include "codelets/conv/conv_onednn.hpp"
#include "codelets/conv/conv_ref.hpp"
#include "codelets/ops/conv2d.hpp"

namespace pleiad {
namespace {

ConvProblem problem_of(const Call& c, bool winograd) {
  return {.pass = ConvPass::data,
          .conv = conv_of(c[2], c[1], c[0], c.attrs),
          .winograd = winograd,
          .accumulate = c[2].accumulate};
}

template <bool winograd>
void run_onednn(const Call& c) noexcept {
  convolve_onednn(problem_of(c, winograd), {.x = c[2].data, .w = c[1].data, .y = c[0].data});
}

template <bool winograd>
bool onednn_fits(const Call& c) {
  return onednn_convolves(problem_of(c, winograd));
}

struct Reference {
  template <class T>
  static void run(const Call& c) noexcept {
    convolve_back<T>(conv_of(c[2], c[1], c[0], c.attrs), c[0], c[1], c[2]);
  }
};

void launch(const Call& c, GpuQueue& q) { gpu_convolve_back(q, problem_of(c, false).conv, c[0], c[1], c[2]); }

Index extent(char axis, std::span<const Shape> in, const Attrs& attrs) {
  if (axis == 'I') return in[1][1] * attrs.as<Conv2dAttrs>().groups;
  const std::size_t d = axis == 'H' ? 0 : 1;
  return conv_noted_image("conv2d_dx", attrs, d, in[1][2 + d], in[0][1 + d]);
}

Sample sample(Shape dy, Shape w, const Conv2dAttrs& attrs, std::string_view notation = "nPQk,kcRS->nHWc") {
  return {.inputs = {dy, w}, .attrs = Attrs::of(attrs, notation)};
}

std::vector<Sample> samples() {
  return {
      sample({3, 5, 4, 5}, {5, 3, 3, 3}, {.padding = {1, 1}, .extents = {5, 4}}),
      sample({2, 3, 3, 3}, {3, 2, 3, 2}, {.stride = {2, 1}, .padding = {1, 0}, .dilation = {1, 2}, .extents = {6, 5}}),
      sample({2, 2, 2, 3}, {3, 2, 1, 1}, {.stride = {2, 2}, .extents = {4, 4}}, "nPQk,kCRS->nHWC"),
      sample({2, 4, 3, 6}, {6, 2, 3, 3}, {.padding = {1, 1}, .groups = 2, .extents = {4, 3}}, "nPQK,KGRS->nHWI")};
}

}  // namespace

const Op conv2d_dx{.name = "conv2d_dx",
                   .operands = {{{"dy"}, {"w"}, {"dx"}}},
                   .flops = 2,
                   .over = "nPQkKcCGRS",
                   .extent = extent,
                   .impls = {{gpu_impl<launch>(),
                              {.name = "onednn_winograd", .run = run_onednn<true>, .fits = onednn_fits<true>},
                              {.name = "onednn", .run = run_onednn<false>, .fits = onednn_fits<false>},
                              cpu_impl<Reference>("ref")}},
                   .samples = samples};

}  // namespace pleiad
