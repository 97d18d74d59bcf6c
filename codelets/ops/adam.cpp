#include "codelets/ops/adam.hpp"

#include <cmath>

#include "codelets/kernel.hpp"

namespace pleiad {
namespace {

/// What a step multiplies with. `decoupled`: weight decay acts on the parameter (AdamW) instead of the gradient (Adam).
struct Factors {
  double step_size, root_correction, keep, decay, rest1, beta2, rest2, eps;

  Factors(const Call& c, bool decoupled) {
    const auto a = c.attrs.as<AdamAttrs>();
    const auto number = static_cast<double>(c.step.number);
    step_size = c.step.lr / (1 - std::pow(a.beta1, number));
    root_correction = std::sqrt(1 - std::pow(a.beta2, number));
    keep = decoupled ? 1 - c.step.lr * a.weight_decay : 1;
    decay = decoupled ? 0 : a.weight_decay;
    rest1 = 1 - a.beta1;
    beta2 = a.beta2;
    rest2 = 1 - a.beta2;
    eps = a.eps;
  }
};

template <bool decoupled>
struct Adam {
  template <class T>
  static void run(const Call& c) noexcept {
    using W = Wide<T>;
    const Factors f(c, decoupled);
    const W step_size = static_cast<W>(f.step_size), root_correction = static_cast<W>(f.root_correction);
    const W keep = static_cast<W>(f.keep), decay = static_cast<W>(f.decay);
    const W rest1 = static_cast<W>(f.rest1), beta2 = static_cast<W>(f.beta2), rest2 = static_cast<W>(f.rest2);
    const W eps = static_cast<W>(f.eps);
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

template <bool decoupled>
void launch(const Call& c, GpuQueue& q) {
  const Factors f(c, decoupled);
  q.run("adam", c[0].dtype, grid_of_elements(c[0].size()), c[0], c[1], c[2], c[3], c[0].size(), f.step_size,
        f.root_correction, f.keep, f.decay, f.rest1, f.beta2, f.rest2, f.eps);
}

std::vector<Sample> samples() {
  return {{.inputs = std::vector<Shape>(4, Shape{7, 5}),
           .attrs = Attrs::of(AdamAttrs{.weight_decay = 0.1}),
           .domains = {Domain::normal, Domain::normal, Domain::positive}}};
}

constexpr OperandList kOperands{{{"p"}, {"exp_avg", Element::wide}, {"exp_avg_sq", Element::wide}, {"g"}}};

}  // namespace

const Op adam{.name = "adam",
              .axes = "&...,&...,&...,...->",
              .operands = kOperands,
              .flops = 14,
              .impls = {{gpu_impl<launch<false>>(), cpu_impl<Adam<false>>("ref")}},
              .samples = samples};
const Op adamw{.name = "adamw",
               .axes = "&...,&...,&...,...->",
               .operands = kOperands,
               .flops = 14,
               .impls = {{gpu_impl<launch<true>>(), cpu_impl<Adam<true>>("ref")}},
               .samples = samples};

}  // namespace pleiad
