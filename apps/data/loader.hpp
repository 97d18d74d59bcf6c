#pragma once
#include <span>
#include <vector>

#include "apps/data/dataset.hpp"

namespace pleiad {

/// Which samples each step takes. Every epoch takes every sample once, in an order that follows from seed and epoch, so
/// the step number is all there is to save. The last batch of an epoch may hold fewer samples than `batch`.
class Loader {
 public:
  /// The data must outlive the loader.
  Loader(const Dataset& data, Index batch, Index seed, bool shuffle);

  Index batch() const { return batch_; }
  Index steps_per_epoch() const { return (data_->size() + batch_ - 1) / batch_; }
  Index epoch_of(Index step) const { return step / steps_per_epoch(); }
  /// Samples taken by all steps before this one.
  Index samples_before(Index step) const;

  /// Numbers of the samples of this step (from 0), valid until the next call. One thread at a time.
  std::span<const Index> samples(Index step);

  /// Rows [first, first + rows) of the step's batch. Rows without a sample are zeros with label -1. One thread at a
  /// time.
  void fill(Index step, Index first, Index rows, Batch& batch);

 private:
  const Dataset* data_;
  Index batch_, seed_;
  bool shuffle_;
  Index epoch_ = -1;          // of order_
  std::vector<Index> order_;  // of the samples in that epoch
};

}  // namespace pleiad
