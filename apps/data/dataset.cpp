#include "apps/data/dataset.hpp"

#include <xxhash.h>

#include <algorithm>
#include <memory>

namespace pleiad {
namespace {

struct FreeState {
  void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
};

template <class Range>
void update(XXH3_state_t* state, const Range& values) {
  const auto bytes = std::as_bytes(std::span(values));
  XXH3_64bits_update(state, bytes.data(), bytes.size());
}

void gather_labelled(const Dataset& data, std::span<const Index> ids, Index rows, Batch& batch) {
  batch.features.resize(static_cast<std::size_t>(rows * data.width()));
  auto feature = batch.features.begin();
  auto label = batch.labels.begin();
  for (const Index id : ids) {
    feature = std::copy_n(data.features.begin() + id * data.width(), data.width(), feature);
    *label++ = data.labels[static_cast<std::size_t>(id)];
  }
  std::fill(feature, batch.features.end(), 0.0f);
  std::fill(label, batch.labels.end(), -1);
}

void gather_windows(const Dataset& data, std::span<const Index> ids, Index rows, Batch& batch) {
  batch.tokens.resize(static_cast<std::size_t>(rows * data.width()));
  auto token = batch.tokens.begin();
  auto label = batch.labels.begin();
  for (const Index id : ids) {
    const auto first = data.tokens.begin() + id * data.width();
    token = std::copy_n(first, data.width(), token);
    label = std::copy_n(first + 1, data.width(), label);
  }
  std::fill(token, batch.tokens.end(), 0);
  std::fill(label, batch.labels.end(), -1);
}

}  // namespace

std::uint64_t hash_of(const Dataset& data) {
  const std::unique_ptr<XXH3_state_t, FreeState> state(XXH3_createState());
  XXH3_64bits_reset(state.get());
  update(state.get(), std::vector<Index>(data.sample_shape.begin(), data.sample_shape.end()));
  update(state.get(), data.features);
  update(state.get(), data.labels);
  update(state.get(), data.tokens);
  return XXH3_64bits_digest(state.get());
}

void gather(const Dataset& data, std::span<const Index> ids, Index rows, Batch& batch) {
  batch.labels.resize(static_cast<std::size_t>(rows * data.labels_per_sample()));
  if (data.is_text())
    gather_windows(data, ids, rows, batch);
  else
    gather_labelled(data, ids, rows, batch);
}

Dataset select(const Dataset& data, std::span<const Index> ids) {
  Batch all;
  gather(data, ids, static_cast<Index>(ids.size()), all);
  return {.name = data.name,
          .sample_shape = data.sample_shape,
          .features = std::move(all.features),
          .labels = std::move(all.labels),
          .tokens = {},
          .classes = data.classes};
}

}  // namespace pleiad
