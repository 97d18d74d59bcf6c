#pragma once
#include <vector>

#include "apps/models/networks.hpp"

namespace pleiad {

/// A network as a graph for one batch size, with its tensor classes.
struct Model {
  nn::Builder builder;
  nn::Network net;
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
