#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "apps/checkpoint/checkpoint.hpp"
#include "apps/train/engine.hpp"
#include "apps/train/model.hpp"
#include "perfmodels/store.hpp"

namespace pleiad {

/// How the next token is chosen.
struct Sampling {
  double temperature = 1;  // logits are divided by it; 0: the largest logit
  Index top_k = 0;         // among the largest; 0: all
  std::uint64_t seed = 1;
};

/// A token by its logits; the random number follows from seed and position. Among equal logits the first comes first.
Index choose_token(std::span<const float> logits, const Sampling&, Index position);

/// A language model that continues texts. The whole context is computed for every token.
class Generation {
 public:
  Generation(const Config&, const LoadedCheckpoint&, Engine&, const Machine&, const KernelTimes&);

  /// Logits of the token after these, at least one; of more than the context only the last count.
  std::vector<float> next(std::span<const std::int32_t> tokens);

 private:
  Model model_;
  std::unique_ptr<Executor> executor_;
};

}  // namespace pleiad
