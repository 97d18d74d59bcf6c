#include "apps/data/loader.hpp"

#include <algorithm>
#include <numeric>

#include "apps/data/shuffle.hpp"

namespace pleiad {

Loader::Loader(const Dataset& data, Index batch, Index seed, bool shuffle)
    : data_(&data), batch_(batch), seed_(seed), shuffle_(shuffle), order_(static_cast<std::size_t>(data.size())) {
  std::iota(order_.begin(), order_.end(), Index{0});
}

Index Loader::samples_before(Index step) const {
  const auto position = step % steps_per_epoch() * batch_;
  return epoch_of(step) * data_->size() + std::min(position, data_->size());
}

std::span<const Index> Loader::samples(Index step) {
  const auto epoch = epoch_of(step), first = step % steps_per_epoch() * batch_;
  if (shuffle_ && epoch != epoch_) order_ = permutation(data_->size(), seed_, epoch);
  epoch_ = epoch;
  const auto count = std::min(batch_, data_->size() - first);
  return std::span<const Index>(order_).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
}

void Loader::fill(Index step, Index first, Index rows, Batch& batch) {
  const auto ids = samples(step);
  const auto begin = std::min(static_cast<std::size_t>(first), ids.size());
  const auto count = std::min(static_cast<std::size_t>(rows), ids.size() - begin);
  gather(*data_, ids.subspan(begin, count), rows, batch);
}

}  // namespace pleiad
