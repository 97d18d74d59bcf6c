#pragma once
#include <functional>
#include <memory>

#include "apps/train/engine.hpp"
#include "apps/train/feed.hpp"
#include "perfmodels/store.hpp"

namespace pleiad {

struct Score {
  double loss = 0;      // mean over samples
  double accuracy = 0;  // share of labels that have the largest logit
  Index samples = 0;
};

/// A model's loss and accuracy on a data set, computed forward only on all workers.
class Evaluation {
 public:
  /// Values of a parameter, by its name in the model.
  using Parameters = std::function<std::vector<std::byte>(const Tensor&)>;

  Evaluation(const Config&, const Dataset&, Engine&, const Machine&, const KernelTimes&);
  Score run(const Parameters&);

 private:
  Model model_;
  Index labels_per_sample_;
  Feed feed_;
  std::unique_ptr<Executor> executor_;
};

}  // namespace pleiad
