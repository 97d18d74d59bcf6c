#include "apps/train/feed.hpp"

#include <span>

#include "apps/train/tensors.hpp"

namespace pleiad {

Feed::Feed(const Dataset& data, const Model& model, Index seed, bool shuffle)
    : model_(&model), loader_(data, model.graph()[model.net.x].shape[0], seed, shuffle) {
  features_.resize(static_cast<std::size_t>(loader_.batch() * data.width()));
  labels_.resize(static_cast<std::size_t>(loader_.batch()));
}

Index Feed::write(Executor& executor, Index step) {
  loader_.fill(step, 0, loader_.batch(), features_.data(), labels_.data());
  const DType dtype = model_->graph()[model_->net.x].dtype;
  if (dtype == DType::f32)
    executor.write(model_->net.x, std::as_bytes(std::span(features_)));
  else
    executor.write(model_->net.x, converted(features_, dtype));
  executor.write(model_->net.labels, std::as_bytes(std::span(labels_)));
  return static_cast<Index>(loader_.samples(step).size());
}

}  // namespace pleiad
