#pragma once
#include "apps/models/networks.hpp"

namespace pleiad {

/// A residual network (He et al. 2016) without the bottleneck: a 3x3 convolution, then for each entry of `channels`
/// `blocks` pairs of 3x3 convolutions around which the input is added; every stage but the first halves the image.
/// Batch normalisation after each convolution, at the end the mean over the image. Names as in torchvision's ResNet.
nn::Network cnn(nn::Builder&, const ModelConfig&, const DataShape&, Index batch, Use);

/// Token embedding, `layers` LSTMs (Hochreiter and Schmidhuber 1997) of `width` and a linear layer to the next token.
nn::Network lstm(nn::Builder&, const ModelConfig&, const DataShape&, Index batch, Use);

/// GPT-2 (Radford et al. 2019): learned positions, layer_norm before attention and feed-forward, embedding tied to the
/// last layer.
nn::Network gpt2(nn::Builder&, const ModelConfig&, const DataShape&, Index batch, Use);

}  // namespace pleiad
