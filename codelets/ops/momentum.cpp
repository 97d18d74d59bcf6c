#include "codelets/ops/momentum.hpp"

#include "codelets/kernel.hpp"

namespace pleiad {
namespace {

struct Momentum {
  template <class T>
  static void run(const Call& c) noexcept {
    using W = Wide<T>;
    const auto a = c.attrs.as<MomentumAttrs>();
    const W lr = static_cast<W>(c.step.lr), mu = static_cast<W>(a.momentum), decay = static_cast<W>(a.weight_decay);
    const W of_gradient = a.nesterov ? W(1) : W(0), of_buffer = a.nesterov ? mu : W(1);
    T* p = c[0].as<T>();
    W* buffer = c[1].as<W>();
    const T* g = c[2].as<const T>();
#pragma omp simd
    for (Index i = 0; i < c[0].size(); ++i) {
      const W old = static_cast<W>(p[i]), gradient = static_cast<W>(g[i]) + decay * old;
      const W b = mu * buffer[i] + gradient;
      buffer[i] = b;
      store(p[i], old - lr * (of_gradient * gradient + of_buffer * b));
    }
  }
};

void launch(const Call& c, GpuQueue& q) {
  const auto a = c.attrs.as<MomentumAttrs>();
  const double of_gradient = a.nesterov ? 1 : 0, of_buffer = a.nesterov ? a.momentum : 1;
  q.run("momentum", c[0].dtype, grid_of_elements(c[0].size()), c[0], c[1], c[2], c[0].size(), c.step.lr, a.momentum,
        a.weight_decay, of_gradient, of_buffer);
}

std::vector<Sample> samples() {
  const std::vector<Shape> inputs(3, Shape{7, 5});
  return {{.inputs = inputs, .attrs = Attrs::of(MomentumAttrs{.momentum = 0.9, .weight_decay = 0.1})},
          {.inputs = inputs, .attrs = Attrs::of(MomentumAttrs{.momentum = 0.5, .nesterov = true})}};
}

}  // namespace

const Op momentum{.name = "momentum",
                  .axes = "&...,&...,...->",
                  .operands = {{{"p"}, {"buffer", Element::wide}, {"g"}}},
                  .flops = 8,
                  .impls = {{gpu_impl<launch>(), cpu_impl<Momentum>("ref")}},
                  .samples = samples};

}  // namespace pleiad
