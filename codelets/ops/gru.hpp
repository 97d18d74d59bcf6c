#pragma once
#include "codelets/op.hpp"

namespace pleiad {

/// PyTorch's one-layer GRU over whole sequences, batch first. x: [batch, time, in]; w_ih, w_hh: [3 hidden, in or
/// hidden], gates in the order r, z, n; b_ih, b_hh: [3 hidden]; h0: [batch, hidden] -> y: [batch, time, hidden]; h_n:
/// the state after the last step; saved: [batch, time, 4 hidden], gates for the gradient.
extern const Op gru;
/// Back through time. Gradients of y, h_n -> dx_gates, dh_gates: [batch, time, 3 hidden], of what inputs and hidden
/// states give to the gates; dh0. What the weights and x get follows from them by products over all steps at once.
extern const Op gru_grad;

}  // namespace pleiad
