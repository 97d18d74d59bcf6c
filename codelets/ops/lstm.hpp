#pragma once
#include "codelets/op.hpp"

namespace pleiad {

/// PyTorch's one-layer LSTM over whole sequences, batch first. x: [batch, time, in]; w_ih, w_hh: [4 hidden, in or
/// hidden], gates in the order i, f, g, o; b_ih, b_hh: [4 hidden]; h0, c0: [batch, hidden] -> y: [batch, time, hidden];
/// h_n, c_n: the states after the last step; saved: [batch, time, 5 hidden], gates and cells for the gradient.
extern const Op lstm;
/// Back through time. Gradients of y, h_n, c_n -> dz: [batch, time, 4 hidden], of the gates before their
/// nonlinearities; dh0, dc0. What the weights and x get follows from dz by products over all steps at once.
extern const Op lstm_grad;

}  // namespace pleiad
