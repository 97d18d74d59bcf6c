#pragma once
#include "codelets/op.hpp"

namespace pleiad {

/// What each step of a sequence starts from: z[:, 0] = h0, z[:, t] = y[:, t - 1]. y, z: [batch, time, hidden]; h0:
/// [batch, hidden]. Not differentiable: it serves gradients.
extern const Op previous_states;

}  // namespace pleiad
