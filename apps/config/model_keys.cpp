#include "apps/config/model_keys.hpp"

#include <algorithm>
#include <array>

#include "apps/config/schema.hpp"

namespace pleiad {
namespace {

const auto kKeys = std::to_array<ModelKey>({
    {"model.hidden", "hidden_sizes", "mlp", &ModelConfig::hidden},
    {"model.activation", "hidden_act", "mlp", &ModelConfig::activation},
    {"model.channels", "hidden_sizes", "cnn", &ModelConfig::channels},
    {"model.blocks", "num_blocks", "cnn", &ModelConfig::blocks},
    {"model.layers", "n_layer", "lstm|gpt2", &ModelConfig::layers},
    {"model.heads", "n_head", "gpt2", &ModelConfig::heads},
    {"model.width", "n_embd", "lstm|gpt2", &ModelConfig::width},
    {"model.context", "n_positions", "lstm|gpt2", &ModelConfig::context},
    {"model.dropout", "hidden_dropout_prob", "mlp|lstm|gpt2", &ModelConfig::dropout},
});

}  // namespace

bool ModelKey::used_by(std::string_view kind) const { return std::ranges::count(split_choices(kinds), kind) > 0; }

std::span<const ModelKey> model_keys() { return kKeys; }

bool matters(const ModelConfig& model, std::string_view key) {
  return std::ranges::all_of(kKeys, [&](const ModelKey& k) { return k.name != key || k.used_by(model.kind); });
}

bool same_network(const ModelConfig& a, const ModelConfig& b) {
  return a.kind == b.kind && std::ranges::all_of(kKeys, [&](const ModelKey& key) {
           return key.name == "model.dropout" || !key.used_by(a.kind) ||
                  std::visit([&](auto field) { return a.*field == b.*field; }, key.field);
         });
}

Index context_of(const ModelConfig& model) { return matters(model, "model.context") ? model.context : 0; }

}  // namespace pleiad
