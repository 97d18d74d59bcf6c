#pragma once
#include <vector>

#include "apps/config/config.hpp"
#include "graph/nn.hpp"

namespace pleiad {

/// What the data fix about a model: numbers of features and of classes.
struct DataShape {
  Index features = 0, classes = 0;
};

/// A network as a graph for one batch size, with its tensor classes.
struct Model {
  nn::Builder builder;
  nn::Mlp net;
  Sym grad_norm;  // Sym{-1}: not computed
  Classes classes;

  const Graph& graph() const { return builder.graph; }
  /// Temporary tensors that a step must leave readable.
  std::vector<Sym> results() const;
  std::vector<Sym> tensors_of(Kind) const;
  Index parameters() const;  // number of elements of all parameters
};

/// Forward, backward, clipping and optimizer.
Model training_model(const Config&, const DataShape&, Index batch);
/// Forward only, without dropout.
Model evaluation_model(const Config&, const DataShape&, Index batch);

}  // namespace pleiad
