#pragma once
#include "codelets/op.hpp"

namespace pleiad {

/// One step of a GRU, for networks that run layers and steps as a wavefront. x_gates, h_gates: [batch, 3 hidden],
/// x w_ih^T + b_ih and h w_hh^T + b_hh in PyTorch's order (r, z, n); h0: [batch, hidden] -> the state h; saved:
/// [batch, 4 hidden], gates for the gradient.
extern const Op gru_cell;
/// Gradient of h -> dx_gates, dh_gates: [batch, 3 hidden]; dh0, of what passes by the gates.
extern const Op gru_cell_grad;

}  // namespace pleiad
