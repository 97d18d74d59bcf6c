#include "codelets/ops/ema.hpp"

#include "codelets/kernel.hpp"

namespace pleiad {
namespace {

struct Ema {
  template <class T>
  static void run(const Call& c) noexcept {
    using W = Wide<T>;
    const W rest = static_cast<W>(1 - c.attrs.as<EmaAttrs>().decay);
    const T* p = c[0].as<const T>();
    W* average = c[1].as<W>();
#pragma omp simd
    for (Index i = 0; i < c[0].size(); ++i) average[i] += rest * (static_cast<W>(p[i]) - average[i]);
  }
};

void launch(const Call& c, GpuQueue& q) {
  const double rest = 1 - c.attrs.as<EmaAttrs>().decay;
  q.run("ema", c[0].dtype, grid_of_elements(c[0].size()), c[0], c[1], c[0].size(), rest);
}

std::vector<Sample> samples() { return {{.inputs = {{7, 5}, {7, 5}}, .attrs = Attrs::of(EmaAttrs{0.9})}}; }

}  // namespace

const Op ema{.name = "ema",
             .axes = "...,&...->",
             .operands = {{{"p"}, {"average", Element::wide}}},
             .flops = 3,
             .impls = {{gpu_impl<launch>(), cpu_impl<Ema>("ref")}},
             .samples = samples};

}  // namespace pleiad
