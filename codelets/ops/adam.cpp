#include "codelets/ops/adam.hpp"

#include <cmath>

#include "codelets/kernel.hpp"

namespace pleiad {
namespace {

/// `decoupled`: weight decay acts on the parameter (AdamW) instead of the gradient (Adam).
template <bool decoupled>
struct Adam {
  template <class T>
  static void run(const Call& c) noexcept {
    using W = Wide<T>;
    const auto a = c.attrs.as<AdamAttrs>();
    const auto number = static_cast<double>(c.step.number);
    const W step_size = static_cast<W>(c.step.lr / (1 - std::pow(a.beta1, number)));
    const W root_correction = static_cast<W>(std::sqrt(1 - std::pow(a.beta2, number)));
    const W keep = static_cast<W>(decoupled ? 1 - c.step.lr * a.weight_decay : 1);
    const W decay = static_cast<W>(decoupled ? 0 : a.weight_decay);
    const W rest1 = static_cast<W>(1 - a.beta1), beta2 = static_cast<W>(a.beta2), rest2 = static_cast<W>(1 - a.beta2);
    const W eps = static_cast<W>(a.eps);
    T* p = c[0].as<T>();
    W *m = c[1].as<W>(), *v = c[2].as<W>();
    const T* g = c[3].as<const T>();
#pragma omp simd
    for (Index i = 0; i < c[0].size(); ++i) {
      const W old = keep * static_cast<W>(p[i]), gradient = static_cast<W>(g[i]) + decay * old;
      const W mean = m[i] + rest1 * (gradient - m[i]), square = beta2 * v[i] + rest2 * gradient * gradient;
      m[i] = mean;
      v[i] = square;
      store(p[i], old - step_size * mean / (std::sqrt(square) / root_correction + eps));
    }
  }
};

std::vector<Sample> samples() {
  return {{.inputs = std::vector<Shape>(4, Shape{7, 5}),
           .attrs = Attrs::of(AdamAttrs{.weight_decay = 0.1}),
           .domains = {Domain::normal, Domain::normal, Domain::positive}}};
}

constexpr std::array<Operand, 10> kOperands{{{"p"}, {"exp_avg", Element::wide}, {"exp_avg_sq", Element::wide}, {"g"}}};

}  // namespace

const Op adam{.name = "adam",
              .axes = "&...,&...,&...,...->",
              .operands = kOperands,
              .flops = 14,
              .impls = {cpu_impl<Adam<false>>("ref")},
              .samples = samples};
const Op adamw{.name = "adamw",
               .axes = "&...,&...,&...,...->",
               .operands = kOperands,
               .flops = 14,
               .impls = {cpu_impl<Adam<true>>("ref")},
               .samples = samples};

}  // namespace pleiad
