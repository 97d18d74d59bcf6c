#pragma once
#include "apps/config/config.hpp"
#include "graph/nn.hpp"

namespace pleiad {

/// What the data fix about a model.
struct DataShape {
  Shape sample;  // 28x28; of a text the tokens of a sample
  Index classes = 0;
};

/// What a network is built for: while training, dropout is on and statistics are those of the batch.
enum class Use : std::uint8_t { training, inference };

/// The network that the config describes, for one batch size; its inputs are called x and labels. Throws Error
/// (Exit::usage) naming the key if config and data do not fit together.
nn::Network network(nn::Builder&, const ModelConfig&, const DataShape&, Index batch, Use);

}  // namespace pleiad
