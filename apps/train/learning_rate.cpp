#include "apps/train/learning_rate.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pleiad {

double learning_rate(const OptimConfig& optim, Index step, Index steps) {
  const auto warmup = static_cast<double>(optim.warmup);
  const auto done = static_cast<double>(step - 1);
  if (done < warmup) return optim.lr * (done + 1) / warmup;
  const double left = std::max(1.0, static_cast<double>(steps) - warmup);
  const double progress = std::min(1.0, (done - warmup) / left);
  if (optim.schedule == "linear") return optim.lr * (1 - progress);
  if (optim.schedule == "cosine") return optim.lr * 0.5 * (1 + std::cos(std::numbers::pi * progress));
  return optim.lr;
}

}  // namespace pleiad
