#pragma once
#include <string>
#include <vector>

#include "codelets/ops/linear.hpp"
#include "graph/graph.hpp"

namespace pleiad::nn {

using pleiad::Activation;

/// The values a parameter starts with: `value`, plus uniform in [-bound, bound], plus normal with this deviation.
struct Distribution {
  double value = 0, bound = 0, deviation = 0;
};
struct Init {
  Sym param;
  Distribution values;
};

/// A model under construction: a graph and how its parameters start.
struct Builder {
  Graph graph;
  std::vector<Init> inits;
  DType dtype = DType::f32;

  /// A parameter, and what the model computes with: in bf16 a copy, since the parameter itself and all that its
  /// optimizer sees stay f32 (master weights).
  Sym param(std::string name, std::vector<Axis> axes, const Distribution&);
};

/// y = activation(x w^T + b). x: [batch, in]; w: [out, in] named NAME.weight; b: [out] named NAME.bias. One fused op.
/// Both start as PyTorch's Linear does: uniform in +-1/sqrt(in).
Sym linear(Builder&, const std::string& name, Sym x, const Axis& out, Activation);
/// Inverted dropout (Srivastava et al. 2014), p = probability of zero; p = 0 adds nothing. Each call has its own key.
Sym dropout(Builder&, Sym x, double p);

struct Loss {
  Sym loss;     // mean over labels >= 0, scalar
  Sym correct;  // number of rows whose largest logit is the label, scalar
};
/// logits: [batch, classes]; labels: i32 [batch], negative = ignored.
Loss cross_entropy(Builder&, Sym logits, Sym labels);

enum class OptimizerKind : std::uint8_t { sgd, momentum, adam, adamw, lion, lamb, adafactor };
struct Optimizer {
  OptimizerKind kind = OptimizerKind::adamw;
  double momentum = 0.9, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0;
  double grad_clip = 0;  // largest global norm of all gradients; 0: off
};
/// Appends backward, clipping and one update per parameter. Returns the global gradient norm (Sym{-1} without
/// clipping). State tensors have PyTorch's names: exp_avg.P, momentum_buffer.P, row_var.P.
Sym optimize(Builder&, Sym loss, const Optimizer&);

/// The initial values of a parameter: counter-based from (seed, name, element), so independent of order and placement.
std::vector<std::byte> initial_values(const Graph&, const Init&, std::uint64_t seed);

/// A network for classification: inputs and what a step leaves readable.
struct Network {
  Sym x, labels, logits;
  Loss out;
};
/// features -> hidden... -> classes; the last layer has no activation. Parameters: layers.0.weight, layers.0.bias, ...
Network mlp(Builder&, Index batch, Index features, const std::vector<Index>& hidden, Index classes, Activation,
            double dropout);

}  // namespace pleiad::nn
