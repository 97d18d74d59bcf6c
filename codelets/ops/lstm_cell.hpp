#pragma once
#include "codelets/op.hpp"

namespace pleiad {

/// One step of an LSTM, for networks that run layers and steps as a wavefront. x_gates, h_gates: [batch, 4 hidden],
/// x w_ih^T + b_ih and h w_hh^T + b_hh in PyTorch's order (i, f, g, o); c0: [batch, hidden] -> the states h and c;
/// saved: [batch, 4 hidden], gates for the gradient.
extern const Op lstm_cell;
/// Gradients of h and c -> dz: [batch, 4 hidden], what both x_gates and h_gates get; dc0.
extern const Op lstm_cell_grad;

}  // namespace pleiad
