#include "apps/train/feed.hpp"

#include <span>

#include "apps/train/tensors.hpp"

namespace pleiad {

Feed::Feed(const Dataset& data, const Model& model, Index seed, bool shuffle)
    : model_(&model), loader_(data, model.graph()[model.net.x].shape[0], seed, shuffle) {}

Index Feed::write(Executor& executor, Index step) {
  loader_.fill(step, 0, loader_.batch(), batch_);
  const Sym x = model_->net.x;
  const DType dtype = model_->graph()[x].dtype;
  if (dtype == DType::i32)
    executor.write(x, std::as_bytes(std::span(batch_.tokens)));
  else if (dtype == DType::f32)
    executor.write(x, std::as_bytes(std::span(batch_.features)));
  else
    executor.write(x, converted(batch_.features, dtype));
  executor.write(model_->net.labels, std::as_bytes(std::span(batch_.labels)));
  return static_cast<Index>(loader_.samples(step).size());
}

}  // namespace pleiad
