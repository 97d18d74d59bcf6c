#pragma once
#include "codelets/kernel.hpp"

// Gated linear units (Shazeer 2020): y = f(gate) up. A is a struct of
// `template <class M, class T> static T value(T gate)` and `slope(T gate)`, f and its derivative.

namespace pleiad {

template <class A>
struct Gated {
  template <class M, class T>
  static T f(T gate, T up) {
    return A::template value<M>(gate) * up;
  }
};

/// dgate, dup from gate, up, dy.
template <class A, class M>
struct GatedGrad {
  template <class T>
  static void run(const Call& c) noexcept {
    const T *gate = c[0].as<const T>(), *up = c[1].as<const T>(), *dy = c[2].as<const T>();
    T *dgate = c[3].as<T>(), *dup = c[4].as<T>();
    const bool add_gate = c[3].accumulate, add_up = c[4].accumulate;
    if (add_gate || add_up) return run_each<T>(c);
#pragma omp simd
    for (Index i = 0; i < c[0].size(); ++i) {
      const auto g = static_cast<Wide<T>>(gate[i]), d = static_cast<Wide<T>>(dy[i]);
      const auto u = static_cast<Wide<T>>(up[i]);
      store(dgate[i], d * u * A::template slope<M>(g));
      store(dup[i], d * A::template value<M>(g));
    }
  }

 private:
  /// One output after the other, each as it accumulates.
  template <class T>
  static void run_each(const Call& c) noexcept {
    const T *gate = c[0].as<const T>(), *up = c[1].as<const T>(), *dy = c[2].as<const T>();
    fill_elements<T>(c[3], [=](Index i) {
      return static_cast<Wide<T>>(dy[i]) * static_cast<Wide<T>>(up[i]) *
             A::template slope<M>(static_cast<Wide<T>>(gate[i]));
    });
    fill_elements<T>(c[4], [=](Index i) {
      return static_cast<Wide<T>>(dy[i]) * A::template value<M>(static_cast<Wide<T>>(gate[i]));
    });
  }
};

template <gpu::Name kernel>
void launch_gated_grad(const Call& c, GpuQueue& q) {
  const Index n = c[0].size();
  q.run(kernel.text, c[0].dtype, grid_of_elements(n), c[0], c[1], c[2], c[3], c[4], n, c[3].accumulate,
        c[4].accumulate);
}

template <class A, gpu::Name kernel>
constexpr Impls gated_grad_impls() {
  return {gpu_impl<launch_gated_grad<kernel>>(), cpu_impl<GatedGrad<A, VectorMath>>("simd"),
          cpu_impl<GatedGrad<A, StdMath>>("ref")};
}

}  // namespace pleiad
