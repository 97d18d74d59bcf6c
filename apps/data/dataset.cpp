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

}  // namespace

std::uint64_t hash_of(const Dataset& data) {
  const std::unique_ptr<XXH3_state_t, FreeState> state(XXH3_createState());
  XXH3_64bits_reset(state.get());
  update(state.get(), std::vector<Index>(data.sample_shape.begin(), data.sample_shape.end()));
  update(state.get(), data.features);
  update(state.get(), data.labels);
  return XXH3_64bits_digest(state.get());
}

void gather(const Dataset& data, std::span<const Index> ids, Index rows, float* features, std::int32_t* labels) {
  const auto width = data.width();
  for (const Index id : ids) {
    features = std::copy_n(data.features.data() + id * width, width, features);
    *labels++ = data.labels[static_cast<std::size_t>(id)];
  }
  const auto missing = rows - static_cast<Index>(ids.size());
  std::fill_n(features, missing * width, 0.0f);
  std::fill_n(labels, missing, -1);
}

Dataset select(const Dataset& data, std::span<const Index> ids) {
  Dataset part{
      .name = data.name, .sample_shape = data.sample_shape, .features = {}, .labels = {}, .classes = data.classes};
  part.features.resize(ids.size() * static_cast<std::size_t>(data.width()));
  part.labels.resize(ids.size());
  gather(data, ids, static_cast<Index>(ids.size()), part.features.data(), part.labels.data());
  return part;
}

}  // namespace pleiad
