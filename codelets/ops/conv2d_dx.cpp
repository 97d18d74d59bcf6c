#include "codelets/ops/conv2d_dx.hpp"

#include "codelets/conv/conv_onednn.hpp"
#include "codelets/kernel.hpp"
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
    const Conv v = conv_of(c[2], c[1], c[0], c.attrs);
    Index i = 0;
    for (Index n = 0; n < v.batch; ++n)
      for (Index h = 0; h < v.rows.in; ++h)
        for (Index w = 0; w < v.cols.in; ++w)
          for (Index channel = 0; channel < v.in; ++channel) put<T>(c[2], i++, product<T>(c, v, n, h, w, channel));
  }

 private:
  template <class T>
  static Wide<T> product(const Call& c, const Conv& v, Index n, Index h, Index w, Index channel) {
    const Index first = channel / v.group_in() * v.group_out();
    Wide<T> sum = 0;
    for (Index r = 0; r < v.rows.kernel; ++r)
      for (Index s = 0; s < v.cols.kernel; ++s) {
        const Index p = v.rows.place(h, r), q = v.cols.place(w, s);
        if (p < 0 || q < 0) continue;
        for (Index k = first; k < first + v.group_out(); ++k)
          sum += get<T>(c[0], v.y_at(n, p, q) + k) * get<T>(c[1], v.w_at(k, channel % v.group_in(), r, s));
      }
    return sum;
  }
};

Index extent(char axis, std::span<const Shape> in, const Attrs& attrs) {
  const auto a = attrs.as<Conv2dAttrs>();
  if (axis == 'I') return in[1][1] * a.groups;
  return a.extents[axis == 'H' ? 0 : 1];
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
                   .impls = {{{.name = "onednn_winograd", .run = run_onednn<true>, .fits = onednn_fits<true>},
                              {.name = "onednn", .run = run_onednn<false>, .fits = onednn_fits<false>},
                              cpu_impl<Reference>("ref")}},
                   .samples = samples};

}  // namespace pleiad
