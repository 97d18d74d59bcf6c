#pragma once
#include <algorithm>

#include "codelets/base/loops.hpp"
#include "codelets/ops/scale.hpp"

// Losses that are the mean over all elements of some function of x and target.

namespace pleiad {

/// x, target -> loss. F is made from Attrs and has `template <class M, class W> W value(W x, W target) const`.
template <class F, class M>
struct PointwiseLoss {
  template <class T>
  static void run(const Call& c) noexcept {
    using W = Wide<T>;
    const F f(c.attrs);
    double sum = 0;
    for (Index at = 0; at < c[0].size(); at += kBlock) {
      const T *x = c[0].as<const T>() + at, *target = c[1].as<const T>() + at;
      sum += static_cast<double>(sum_of<W>(std::min(kBlock, c[0].size() - at), [=](Index i) {
        return f.template value<M>(static_cast<W>(x[i]), static_cast<W>(target[i]));
      }));
    }
    put<W>(c[2], 0, static_cast<W>(sum / static_cast<double>(c[0].whole.volume())));
  }

 private:
  static constexpr Index kBlock = 4096;
};

/// x, target, dloss -> dx. F::slope is the derivative of F::value by x.
template <class F, class M>
struct PointwiseLossGrad {
  template <class T>
  static void run(const Call& c) noexcept {
    using W = Wide<T>;
    const F f(c.attrs);
    const T *x = c[0].as<const T>(), *target = c[1].as<const T>();
    const W factor = get<W>(c[2], 0) / static_cast<W>(c[0].whole.volume());
    fill_elements<T>(
        c[3], [=](Index i) { return factor * f.template slope<M>(static_cast<W>(x[i]), static_cast<W>(target[i])); });
  }
};

/// Gradient rule of a loss that depends on the difference of x and target alone.
template <const Op& loss_grad>
void difference_gradient(Grad& g) {
  const Sym dx = g.call(loss_grad, {g.x(0), g.x(1), g.dy()}, g.attrs())[0];
  g.dx(0, dx);
  if (g.wants(1)) g.dx(1, g.call(scale, {dx}, Attrs::of(ScaleAttrs{-1}))[0]);
}

inline std::vector<Sample> pointwise_loss_samples(const Attrs& attrs = {}) {
  return {{.inputs = {{7, 5}, {7, 5}}, .attrs = attrs}, {.inputs = {{3, 2, 83}, {3, 2, 83}}, .attrs = attrs}};
}
inline std::vector<Sample> pointwise_loss_grad_samples(const Attrs& attrs = {}) {
  auto all = pointwise_loss_samples(attrs);
  for (Sample& s : all) s.inputs.push_back({});
  return all;
}

inline constexpr std::string_view kPointwiseLossAxes = "...,...->", kPointwiseLossGradAxes = "...,...,->...";
inline constexpr decltype(Op::operands) kPointwiseLossOperands{{{"x"}, {"target"}, {"loss", Element::wide}}},
    kPointwiseLossGradOperands{{{"x"}, {"target"}, {"dloss", Element::wide}, {"dx"}}};

}  // namespace pleiad
