#pragma once
#include <algorithm>

#include "codelets/base/loops.hpp"
#include "codelets/gpu/kernel.hpp"
#include "codelets/gpu/sum_parts.hpp"
#include "codelets/ops/scale.hpp"

// Losses that are the mean over all elements of some function of x and target.

namespace pleiad {

/// As pointwise_loss.gpu knows them.
enum class PointwiseKind : int { square, distance, huber, binary_cross_entropy };

/// x, target -> loss. F is made from Attrs and has `template <class M, class W> W value(W x, W target) const`,
/// F::kKind for GPUs, and `double delta` if that is huber.
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

template <class F>
double delta_of(const Call& c) {
  if constexpr (F::kKind == PointwiseKind::huber)
    return F(c.attrs).delta;
  else
    return 0;
}
template <class F>
void launch_loss(const Call& c, GpuQueue& q) {
  const GpuGrid grid = grid_of_elements(c[0].size());
  const GpuMemory parts = scratch_of_parts(q, c[0].dtype, grid.groups[0]);
  q.run("pointwise_loss", c[0].dtype, grid, c[0], c[1], parts, c[0].size(), static_cast<int>(F::kKind), delta_of<F>(c));
  sum_parts(q, c[0].dtype, parts, grid.groups[0], 1 / static_cast<double>(c[0].whole.volume()), c[2]);
}
template <class F>
void launch_loss_grad(const Call& c, GpuQueue& q) {
  q.run("pointwise_loss_grad", c[0].dtype, grid_of_elements(c[0].size()), c[0], c[1], c[2], c[3], c[0].size(),
        static_cast<int>(F::kKind), delta_of<F>(c), static_cast<double>(c[0].whole.volume()), c[3].accumulate);
}

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
