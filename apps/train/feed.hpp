#pragma once
#include <vector>

#include "apps/data/loader.hpp"
#include "apps/train/model.hpp"
#include "graph/executor.hpp"

namespace pleiad {

/// Writes batches of a data set into the inputs of a model.
class Feed {
 public:
  /// Data and model must outlive it.
  Feed(const Dataset&, const Model&, Index seed, bool shuffle);

  const Loader& loader() const { return loader_; }
  /// Writes the batch of step `step` (from 0); returns how many samples it holds.
  Index write(Executor&, Index step);

 private:
  const Model* model_;
  Loader loader_;
  Batch batch_;
};

}  // namespace pleiad
