#include <fmt/format.h>

#include <cmath>

#include "apps/models/kinds.hpp"
#include "codelets/ops/bias_add.hpp"
#include "codelets/ops/einsum.hpp"
#include "graph/layers.hpp"

namespace pleiad {
namespace {

constexpr double kDeviation = 0.02;

void check_heads(const ModelConfig& m) {
  if (m.width % m.heads == 0) return;
  throw Error(Exit::usage,
              fmt::format("model.heads = {} do not divide model.width = {}\nevery head takes as many values", m.heads,
                          m.width));
}

/// c_fc, gelu, c_proj.
Sym feed_forward(nn::Builder& b, const std::string& name, Sym x, const ModelConfig& m, double out_deviation) {
  const Sym hidden = nn::dense(b, name + ".c_fc", x,
                               {.out = {{"hidden", 4 * m.width}},
                                .activation = nn::Activation::gelu,
                                .weight = nn::Distribution{.deviation = kDeviation},
                                .bias = nn::Distribution{}});
  return nn::dense(b, name + ".c_proj", hidden,
                   {.out = {{"embed", m.width}},
                    .weight = nn::Distribution{.deviation = out_deviation},
                    .bias = nn::Distribution{}});
}

}  // namespace

nn::Network gpt2(nn::Builder& b, const ModelConfig& m, const DataShape& data, Index batch, Use use) {
  check_heads(m);
  const double dropout = use == Use::training ? m.dropout : 0;
  const double out_deviation = kDeviation / std::sqrt(2.0 * static_cast<double>(m.layers));
  const Axis rows{"batch", batch}, token{"token", m.context}, embed{"embed", m.width};
  nn::Network net;
  net.x = b.graph.tensor("x", {rows, token}, Kind::input, DType::i32);
  net.labels = b.graph.tensor("labels", {rows, token}, Kind::input, DType::i32);
  const auto [table, tokens] =
      nn::embedding(b, "transformer.wte", net.x, {"vocab", data.classes}, embed, {.deviation = kDeviation});
  const Sym positions = b.param("transformer.wpe.weight", {token, embed}, {.deviation = kDeviation});
  Sym h = nn::dropout(b, b.graph.one(bias_add, {tokens, positions}, Attrs("btc,tc->btc")), dropout);
  Sym normal = nn::layer_norm(b, "transformer.h.0.ln_1", h);
  const auto add = [&](Sym x, const std::string& norm) {
    const auto [sum, y] = nn::add_layer_norm(b, norm, nn::dropout(b, x, dropout), h);
    h = sum;
    normal = y;
  };
  for (Index layer = 0; layer < m.layers; ++layer) {
    const auto name = fmt::format("transformer.h.{}", layer);
    const auto next = layer + 1 < m.layers ? fmt::format("transformer.h.{}.ln_1", layer + 1) : "transformer.ln_f";
    add(nn::causal_self_attention(b, name + ".attn", normal,
                                  {.heads = m.heads, .deviation = kDeviation, .out_deviation = out_deviation}),
        name + ".ln_2");
    add(feed_forward(b, name + ".mlp", normal, m, out_deviation), next);
  }
  net.logits = b.graph.one(einsum, {normal, table}, einsum_attrs("btc,vc->btv"));
  net.out = nn::cross_entropy(b, net.logits, net.labels);
  return net;
}

}  // namespace pleiad
