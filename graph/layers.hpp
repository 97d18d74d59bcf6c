#pragma once
#include <optional>

#include "graph/nn.hpp"

namespace pleiad::nn {

/// A fully connected layer whose input and output may have several axes each: x [batch..., in...] -> [batch...,
/// out...].
struct Dense {
  std::vector<Axis> out;
  std::size_t in_axes = 1;  // trailing axes of x that are contracted
  Activation activation = Activation::none;
  std::optional<Distribution> weight, bias;  // how they start; empty: uniform in +-1/sqrt(in), as PyTorch's Linear
};
/// w: [out..., in...] named NAME.weight; b: [out...] named NAME.bias. One fused op.
Sym dense(Builder&, const std::string& name, Sym x, const Dense&);

/// Rows of a table for ids [batch...] (i32): [batch..., width]. The table [vocabulary, width] is named NAME.weight.
struct Embedding {
  Sym table, y;
};
Embedding embedding(Builder&, const std::string& name, Sym ids, const Axis& vocabulary, const Axis& width,
                    const Distribution&);

/// Normalises over the last axis; scale NAME.weight and offset NAME.bias.
Sym layer_norm(Builder&, const std::string& name, Sym x);
/// sum = x + residual, y = layer_norm(sum): one pass.
struct Normalised {
  Sym sum, y;
};
Normalised add_layer_norm(Builder&, const std::string& name, Sym x, Sym residual);

/// Attention of every token to itself and those before it. x: [batch, token, width]. Projections NAME.q_proj, k_proj,
/// v_proj ([heads, 1, width / heads, width]) and NAME.c_proj; weights start normal, biases at 0.
struct SelfAttention {
  Index heads = 1;
  double deviation = 0.02, out_deviation = 0.02;
};
Sym causal_self_attention(Builder&, const std::string& name, Sym x, const SelfAttention&);

/// Convolution of channels-last images without bias. w: [out, in, size, size] named NAME.weight, starts as in He et al.
/// 2015 (normal, fan out).
struct Conv {
  Axis out;
  Index size = 3, stride = 1, padding = 1;
};
Sym conv2d(Builder&, const std::string& name, Sym x, const Conv&);

/// Batch normalisation over all but the last axis. Training: by the statistics of the batch, which NAME.running_mean
/// and NAME.running_var follow; else by those. `relu`: fused.
Sym batch_norm(Builder&, const std::string& name, Sym x, bool relu, bool training);

/// One LSTM over x [batch, token, in] that starts from zeros: [batch, token, hidden]. Parameters as in PyTorch's LSTM:
/// NAME.weight_ih_lN, weight_hh_lN, bias_ih_lN, bias_hh_lN.
Sym lstm(Builder&, const std::string& name, int layer, Sym x, const Axis& hidden);

}  // namespace pleiad::nn
