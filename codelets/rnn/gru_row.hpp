#pragma once
#include "codelets/kernel.hpp"

// Gated recurrent unit (Cho et al. 2014) as PyTorch has it: one row of a batch, one step, n hidden elements. Gates are
// r, z, n, one after another; saved: these after their nonlinearities, and the part of n that r multiplies.

namespace pleiad {

/// x, h: what input and hidden state give to the gates; saved may be x; hidden: the state before, then after.
template <class M, class X, class H, class G, class W>
void gru_row(Index n, const X* x, const H* h, G* saved, W* hidden) noexcept {
#pragma omp simd
  for (Index j = 0; j < n; ++j) {
    const W r = M::sigmoid(static_cast<W>(x[j]) + static_cast<W>(h[j]));
    const W z = M::sigmoid(static_cast<W>(x[n + j]) + static_cast<W>(h[n + j]));
    const W multiplied = static_cast<W>(h[2 * n + j]);
    const W candidate = M::tanh(static_cast<W>(x[2 * n + j]) + r * multiplied);
    hidden[j] = candidate + z * (hidden[j] - candidate);
    store(saved[j], r);
    store(saved[n + j], z);
    store(saved[2 * n + j], candidate);
    store(saved[3 * n + j], multiplied);
  }
}

/// before: the state before; dh: gradient of the state after, then of that before where it passes by the gates; dz:
/// gradient of the gates before their nonlinearities, and of what is saved behind them.
template <class T, class W>
void gru_row_grad(Index n, const T* saved, const T* before, W* dh, W* dz) noexcept {
#pragma omp simd
  for (Index j = 0; j < n; ++j) {
    const W r = static_cast<W>(saved[j]), z = static_cast<W>(saved[n + j]),
            candidate = static_cast<W>(saved[2 * n + j]);
    const W of_candidate = dh[j] * (W(1) - z) * (W(1) - candidate * candidate);
    dz[j] = of_candidate * static_cast<W>(saved[3 * n + j]) * r * (W(1) - r);
    dz[n + j] = dh[j] * (static_cast<W>(before[j]) - candidate) * z * (W(1) - z);
    dz[2 * n + j] = of_candidate;
    dz[3 * n + j] = of_candidate * r;
    dh[j] *= z;
  }
}

}  // namespace pleiad
