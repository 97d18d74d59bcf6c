#include "apps/train/model.hpp"

#include <map>
#include <string_view>

namespace pleiad {
namespace {

nn::Optimizer optimizer_of(const Config& c) {
  using Kind = nn::OptimizerKind;
  static const std::map<std::string_view, Kind> kinds = {
      {"sgd", Kind::sgd},   {"momentum", Kind::momentum}, {"adam", Kind::adam},          {"adamw", Kind::adamw},
      {"lion", Kind::lion}, {"lamb", Kind::lamb},         {"adafactor", Kind::adafactor}};
  return {.kind = kinds.at(c.optim.kind),
          .momentum = c.optim.momentum,
          .beta1 = c.optim.beta1,
          .beta2 = c.optim.beta2,
          .eps = c.optim.eps,
          .weight_decay = c.optim.weight_decay,
          .grad_clip = c.train.grad_clip};
}

Model forward(const Config& c, const DataShape& data, Index batch, Use use) {
  Model m;
  m.builder.dtype = c.numerics.dtype;
  m.net = network(m.builder, c.model, data, batch, use);
  return m;
}

}  // namespace

std::vector<Sym> Model::results() const {
  std::vector<Sym> kept = {net.out.loss, net.out.correct};
  if (grad_norm.id >= 0) kept.push_back(grad_norm);
  return kept;
}

std::vector<Sym> Model::tensors_of(Kind kind) const {
  std::vector<Sym> found;
  for (int t = 0; t < static_cast<int>(graph().tensors.size()); ++t)
    if (graph()[{t}].kind == kind) found.push_back({t});
  return found;
}

Index Model::parameters() const {
  Index n = 0;
  for (Sym p : tensors_of(Kind::param)) n += graph()[p].shape.volume();
  return n;
}

Model training_model(const Config& c, const DataShape& data, Index batch) {
  Model m = forward(c, data, batch, Use::training);
  m.grad_norm = nn::optimize(m.builder, m.net.out.loss, optimizer_of(c));
  m.classes = unify(m.graph());
  return m;
}

Model evaluation_model(const Config& c, const DataShape& data, Index batch) {
  Model m = forward(c, data, batch, Use::inference);
  m.classes = unify(m.graph());
  return m;
}

}  // namespace pleiad
