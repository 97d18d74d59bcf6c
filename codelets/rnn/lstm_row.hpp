#pragma once
#include "codelets/kernel.hpp"

// Long short-term memory (Hochreiter and Schmidhuber 1997) as PyTorch has it: one row of a batch, one step, n hidden
// elements. Gates are i, f, g, o, one after another.

namespace pleiad {

/// x, h: what input and hidden state give to the gates; gates: after their nonlinearities, may be x; c: the cell
/// before, then after; hidden: the state after.
template <class M, class X, class H, class G, class W>
void lstm_row(Index n, const X* x, const H* h, G* gates, W* c, W* hidden) noexcept {
  const auto z = [n, x, h](Index gate, Index j) {
    return static_cast<W>(x[gate * n + j]) + static_cast<W>(h[gate * n + j]);
  };
#pragma omp simd
  for (Index j = 0; j < n; ++j) {
    const W i = M::sigmoid(z(0, j)), f = M::sigmoid(z(1, j)), g = M::tanh(z(2, j)), o = M::sigmoid(z(3, j));
    const W cell = f * c[j] + i * g;
    c[j] = cell;
    hidden[j] = o * M::tanh(cell);
    store(gates[j], i);
    store(gates[n + j], f);
    store(gates[2 * n + j], g);
    store(gates[3 * n + j], o);
  }
}

/// gates, cell, before: what a step gave and the cell it started from; dh: gradient of its state; dc: gradient of its
/// cell, then of the cell before; dz: gradient of the gates before their nonlinearities.
template <class M, class T, class W>
void lstm_row_grad(Index n, const T* gates, const T* cell, const T* before, const W* dh, W* dc, W* dz) noexcept {
#pragma omp simd
  for (Index j = 0; j < n; ++j) {
    const W i = static_cast<W>(gates[j]), f = static_cast<W>(gates[n + j]), g = static_cast<W>(gates[2 * n + j]),
            o = static_cast<W>(gates[3 * n + j]);
    const W t = M::tanh(static_cast<W>(cell[j])), of_c = dc[j] + dh[j] * o * (W(1) - t * t);
    dz[j] = of_c * g * i * (W(1) - i);
    dz[n + j] = of_c * static_cast<W>(before[j]) * f * (W(1) - f);
    dz[2 * n + j] = of_c * i * (W(1) - g * g);
    dz[3 * n + j] = dh[j] * t * o * (W(1) - o);
    dc[j] = of_c * f;
  }
}

}  // namespace pleiad
