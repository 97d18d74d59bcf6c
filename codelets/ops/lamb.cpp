#include "codelets/ops/lamb.hpp"

#include <cmath>

#include "codelets/gpu/sum_parts.hpp"
#include "codelets/kernel.hpp"
#include "codelets/ops/squares.hpp"

namespace pleiad {
namespace {

/// Operands p, exp_avg, exp_avg_sq, g -> r, p2, r2.
struct Direction {
  template <class T>
  static void run(const Call& c) noexcept {
    using W = Wide<T>;
    const auto a = c.attrs.as<LambAttrs>();
    const auto number = static_cast<double>(c.step.number);
    const W correction = static_cast<W>(1 / (1 - std::pow(a.beta1, number)));
    const W root_correction = static_cast<W>(std::sqrt(1 - std::pow(a.beta2, number)));
    const W rest1 = static_cast<W>(1 - a.beta1), beta2 = static_cast<W>(a.beta2), rest2 = static_cast<W>(1 - a.beta2);
    const W eps = static_cast<W>(a.eps), decay = static_cast<W>(a.weight_decay);
    const Index n = c[0].size();
    const T *p = c[0].as<const T>(), *g = c[3].as<const T>();
    W *m = c[1].as<W>(), *v = c[2].as<W>();
    W* r = c[4].accumulate ? static_cast<W*>(scratch(c[4].bytes())) : c[4].as<W>();
#pragma omp simd
    for (Index i = 0; i < n; ++i) {
      const W gradient = static_cast<W>(g[i]), mean = m[i] + rest1 * (gradient - m[i]);
      const W square = beta2 * v[i] + rest2 * gradient * gradient;
      m[i] = mean;
      v[i] = square;
      r[i] = correction * mean / (std::sqrt(square) / root_correction + eps) + decay * static_cast<W>(p[i]);
    }
    put<W>(c[5], 0, static_cast<W>(squares(p, n)));
    put<W>(c[6], 0, static_cast<W>(squares(r, n)));
    if (c[4].accumulate) fill_elements<W>(c[4], [r](Index i) { return r[i]; });
  }
};

/// Operands p, r, p2, r2.
struct Lamb {
  template <class T>
  static void run(const Call& c) noexcept {
    using W = Wide<T>;
    const double of_p = std::sqrt(static_cast<double>(*c[2].as<const W>()));
    const double of_r = std::sqrt(static_cast<double>(*c[3].as<const W>()));
    const W step = static_cast<W>(c.step.lr * (of_p == 0 || of_r == 0 ? 1 : of_p / of_r));
    T* p = c[0].as<T>();
    const W* r = c[1].as<const W>();
#pragma omp simd
    for (Index i = 0; i < c[0].size(); ++i) store(p[i], static_cast<W>(p[i]) - step * r[i]);
  }
};

void launch_direction(const Call& c, GpuQueue& q) {
  const auto a = c.attrs.as<LambAttrs>();
  const auto number = static_cast<double>(c.step.number);
  const Tile &p = c[0], &r = c[4];
  const GpuGrid grid = grid_of_elements(p.size());
  const GpuMemory parts = scratch_of_parts(q, p.dtype, grid.groups[0]);
  q.run("lamb_direction", p.dtype, grid, p, c[1], c[2], c[3], r, parts, p.size(), r.accumulate,
        1 / (1 - std::pow(a.beta1, number)), std::sqrt(1 - std::pow(a.beta2, number)), a.weight_decay, 1 - a.beta1,
        a.beta2, 1 - a.beta2, a.eps);
  sum_parts(q, p.dtype, parts, grid.groups[0], 1, c[6]);
  q.run("sum_squares", p.dtype, grid, p, parts, p.size());
  sum_parts(q, p.dtype, parts, grid.groups[0], 1, c[5]);
}
void launch(const Call& c, GpuQueue& q) {
  q.run("lamb", c[0].dtype, grid_of_elements(c[0].size()), c[0], c[1], c[2], c[3], c[0].size(), c.step.lr);
}

std::vector<Sample> direction_samples() {
  return {{.inputs = std::vector<Shape>(4, Shape{7, 5}),
           .attrs = Attrs::of(LambAttrs{.weight_decay = 0.1}),
           .domains = {Domain::normal, Domain::normal, Domain::positive}}};
}
std::vector<Sample> samples() {
  return {{.inputs = {{7, 5}, {7, 5}, {}, {}},
           .attrs = {},
           .domains = {Domain::normal, Domain::normal, Domain::positive, Domain::positive}}};
}

}  // namespace

const Op lamb_direction{.name = "lamb_direction",
                        .axes = "...,&...,&...,...->...,,",
                        .operands = {{{"p"},
                                      {"exp_avg", Element::wide},
                                      {"exp_avg_sq", Element::wide},
                                      {"g"},
                                      {"r", Element::wide},
                                      {"p2", Element::wide},
                                      {"r2", Element::wide}}},
                        .flops = 19,
                        .impls = {{gpu_impl<launch_direction>(), cpu_impl<Direction>("ref")}},
                        .samples = direction_samples};
const Op lamb{.name = "lamb",
              .axes = "&...,...,,->",
              .operands = {{{"p"}, {"r", Element::wide}, {"p2", Element::wide}, {"r2", Element::wide}}},
              .flops = 2,
              .impls = {{gpu_impl<launch>(), cpu_impl<Lamb>("ref")}},
              .samples = samples};

}  // namespace pleiad
