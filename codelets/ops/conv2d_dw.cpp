#include "codelets/ops/conv2d_dw.hpp"

#include "codelets/conv/conv_gpu.hpp"
#include "codelets/conv/conv_onednn.hpp"
#include "codelets/conv/conv_ref.hpp"
#include "codelets/ops/conv2d.hpp"

namespace pleiad {
namespace {

bool has_bias(const Signature& s) { return s.operands.size() == 4; }

ConvProblem problem_of(const Call& c, bool winograd) {
  return {.pass = ConvPass::weights,
          .conv = conv_of(c[1], c[2], c[0], c.attrs),
          .bias = has_bias(c.signature) && adds_bias(c[1]),
          .winograd = winograd,
          .accumulate = c[2].accumulate,
          .accumulate_bias = has_bias(c.signature) && c[3].accumulate};
}

/// The bias has its gradient from the first tile of the input channels alone.
void clear_idle_bias(const Call& c, const ConvProblem& p) noexcept {
  if (has_bias(c.signature) && !p.bias) clear_unless_accumulating(c[3]);
}

template <bool winograd>
void run_onednn(const Call& c) noexcept {
  const ConvProblem p = problem_of(c, winograd);
  clear_idle_bias(c, p);
  convolve_onednn(p, {.x = c[1].data, .w = c[2].data, .y = c[0].data, .b = p.bias ? c[3].data : nullptr});
}

template <bool winograd>
bool onednn_fits(const Call& c) {
  return onednn_convolves(problem_of(c, winograd));
}

struct Reference {
  template <class T>
  static void run(const Call& c) noexcept {
    const ConvProblem p = problem_of(c, false);
    correlate<T>(p.conv, c[0], c[1], c[2]);
    clear_idle_bias(c, p);
    if (p.bias) sum_places<T>(c[0], c[3]);
  }

 private:
  template <class T>
  static void sum_places(const Tile& dy, const Tile& db) {
    for (Index k = 0; k < db.size(); ++k) {
      Wide<T> sum = 0;
      for (Index i = k; i < dy.size(); i += db.size()) sum += get<T>(dy, i);
      put<T>(db, k, sum);
    }
  }
};

/// The bias gets the sum over all pixels, or over none.
void launch(const Call& c, GpuQueue& q) {
  const ConvProblem p = problem_of(c, false);
  gpu_correlate(q, p.conv, c[0], c[1], c[2]);
  if (!has_bias(c.signature)) return;
  const Index columns = c[3].size(), rows = p.bias ? c[0].size() / columns : 0;
  q.run("sum_columns", c[0].dtype, {{(columns + 31) / 32, 1, 1}, {32, 8, 1}}, c[0], c[3], rows, columns,
        c[3].accumulate);
}

Index extent(char axis, std::span<const Shape> in, const Attrs& attrs) {
  if (axis == 'G') return in[1][3] / attrs.as<Conv2dAttrs>().groups;
  const std::size_t d = axis == 'R' ? 0 : 1;
  return conv_noted_window("conv2d_dw", attrs, d, in[1][1 + d], in[0][1 + d]);
}

Sample sample(Shape dy, Shape x, const Conv2dAttrs& attrs, std::string_view notation) {
  return {.inputs = {dy, x}, .attrs = Attrs::of(attrs, notation)};
}

std::vector<Sample> samples() {
  return {sample({3, 5, 4, 5}, {3, 5, 4, 3}, {.padding = {1, 1}, .extents = {3, 3}}, "nPQk,nHWc->kcRS"),
          sample({2, 3, 3, 3}, {2, 6, 5, 2},
                 {.stride = {2, 1}, .padding = {1, 0}, .dilation = {1, 2}, .extents = {3, 2}}, "nPQk,nHWc->kcRS,k"),
          sample({2, 2, 2, 3}, {2, 4, 4, 2}, {.stride = {2, 2}, .extents = {1, 1}}, "nPQk,nHWC->kCRS,k"),
          sample({2, 4, 3, 6}, {2, 4, 3, 4}, {.padding = {1, 1}, .groups = 2, .extents = {3, 3}}, "nPQK,nHWI->KGRS,K")};
}

}  // namespace

const Op conv2d_dw{.name = "conv2d_dw",
                   .operands = {{{"dy"}, {"x"}, {"dw"}, {"db"}}},
                   .flops = 2,
                   .over = "nPQkKcCGRS",
                   .extent = extent,
                   .impls = {{gpu_impl<launch>(),
                              {.name = "onednn_winograd", .run = run_onednn<true>, .fits = onednn_fits<true>},
                              {.name = "onednn", .run = run_onednn<false>, .fits = onednn_fits<false>},
                              cpu_impl<Reference>("ref")}},
                   .samples = samples};

}  // namespace pleiad
