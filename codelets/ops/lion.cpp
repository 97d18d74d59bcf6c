#include "codelets/ops/lion.hpp"

#include "codelets/kernel.hpp"

namespace pleiad {
namespace {

struct Lion {
  template <class T>
  static void run(const Call& c) noexcept {
    using W = Wide<T>;
    const auto a = c.attrs.as<LionAttrs>();
    const W beta1 = static_cast<W>(a.beta1), rest1 = static_cast<W>(1 - a.beta1);
    const W beta2 = static_cast<W>(a.beta2), rest2 = static_cast<W>(1 - a.beta2);
    const W lr = static_cast<W>(c.step.lr), keep = static_cast<W>(1 - c.step.lr * a.weight_decay);
    T* p = c[0].as<T>();
    W* m = c[1].as<W>();
    const T* g = c[2].as<const T>();
#pragma omp simd
    for (Index i = 0; i < c[0].size(); ++i) {
      const W gradient = static_cast<W>(g[i]), direction = beta1 * m[i] + rest1 * gradient;
      const W sign = direction > 0 ? W(1) : direction < 0 ? W(-1) : direction;  // 0 and NaN stay
      store(p[i], keep * static_cast<W>(p[i]) - lr * sign);
      m[i] = beta2 * m[i] + rest2 * gradient;
    }
  }
};

void launch(const Call& c, GpuQueue& q) {
  const auto a = c.attrs.as<LionAttrs>();
  q.run("lion", c[0].dtype, grid_of_elements(c[0].size()), c[0], c[1], c[2], c[0].size(), c.step.lr,
        1 - c.step.lr * a.weight_decay, a.beta1, 1 - a.beta1, a.beta2, 1 - a.beta2);
}

std::vector<Sample> samples() {
  return {{.inputs = std::vector<Shape>(3, Shape{7, 5}),
           .attrs = Attrs::of(LionAttrs{.weight_decay = 0.1}),
           .domains = {}}};
}

}  // namespace

const Op lion{.name = "lion",
              .axes = "&...,&...,...->",
              .operands = {{{"p"}, {"exp_avg", Element::wide}, {"g"}}},
              .flops = 9,
              .impls = {{gpu_impl<launch>(), cpu_impl<Lion>("ref")}},
              .samples = samples};

}  // namespace pleiad
