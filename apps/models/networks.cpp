#include "apps/models/networks.hpp"

#include <map>
#include <string_view>

#include "apps/models/kinds.hpp"

namespace pleiad {
namespace {

nn::Activation activation_of(const ModelConfig& model) {
  static const std::map<std::string_view, nn::Activation> all = {
      {"relu", nn::Activation::relu}, {"gelu", nn::Activation::gelu}, {"silu", nn::Activation::silu}};
  return all.at(model.activation);
}

nn::Network mlp(nn::Builder& b, const ModelConfig& m, const DataShape& data, Index batch, Use use) {
  return nn::mlp(b, batch, data.sample.volume(), m.hidden, data.classes, activation_of(m),
                 use == Use::training ? m.dropout : 0);
}

using Kind = nn::Network (*)(nn::Builder&, const ModelConfig&, const DataShape&, Index batch, Use);
const std::map<std::string_view, Kind> kKinds = {{"mlp", mlp}, {"cnn", cnn}, {"lstm", lstm}, {"gpt2", gpt2}};

}  // namespace

nn::Network network(nn::Builder& b, const ModelConfig& m, const DataShape& data, Index batch, Use use) {
  return kKinds.at(m.kind)(b, m, data, batch, use);
}

}  // namespace pleiad
