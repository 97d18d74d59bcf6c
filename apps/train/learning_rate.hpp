#pragma once
#include "apps/config/config.hpp"

namespace pleiad {

/// Learning rate of a step (from 1 to `steps`): linear warm-up to optim.lr over optim.warmup steps, then constant,
/// linear to 0, or half a cosine to 0 (Loshchilov and Hutter 2017).
double learning_rate(const OptimConfig& optim, Index step, Index steps);

}  // namespace pleiad
