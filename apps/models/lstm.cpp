#include "apps/models/kinds.hpp"
#include "graph/layers.hpp"

namespace pleiad {

nn::Network lstm(nn::Builder& b, const ModelConfig& m, const DataShape& data, Index batch, Use use) {
  const Axis rows{"batch", batch}, token{"token", m.context};
  nn::Network net;
  net.x = b.graph.tensor("x", {rows, token}, Kind::input, DType::i32);
  net.labels = b.graph.tensor("labels", {rows, token}, Kind::input, DType::i32);
  Sym h = nn::embedding(b, "embed", net.x, {"vocab", data.classes}, {"embed", m.width}, {.deviation = 1}).y;
  for (int layer = 0; layer < static_cast<int>(m.layers); ++layer)
    h = nn::dropout(b, nn::lstm(b, "rnn", layer, h, {"hidden" + std::to_string(layer), m.width}),
                    use == Use::training ? m.dropout : 0);
  net.logits = nn::dense(b, "head", h, {.out = {{"vocab", data.classes}}});
  net.out = nn::cross_entropy(b, net.logits, net.labels);
  return net;
}

}  // namespace pleiad
