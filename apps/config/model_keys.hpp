#pragma once
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "apps/config/config.hpp"

namespace pleiad {

/// A key of the section `model` that only some kinds of network use.
struct ModelKey {
  using Field = std::variant<Index ModelConfig::*, std::vector<Index> ModelConfig::*, std::string ModelConfig::*,
                             double ModelConfig::*>;
  std::string_view name;   // model.heads
  std::string_view json;   // its name in config.json, where Hugging Face has one: theirs
  std::string_view kinds;  // "lstm|gpt2"
  Field field;

  bool used_by(std::string_view kind) const;
};
std::span<const ModelKey> model_keys();

/// Whether the key of this name changes anything for that network; any key outside of the section `model` does.
bool matters(const ModelConfig&, std::string_view key);

/// Whether the two describe one network; how it starts does not count.
bool same_network(const ModelConfig&, const ModelConfig&);

/// Tokens of a sample, for networks that learn from texts; 0: from labelled samples.
Index context_of(const ModelConfig&);

}  // namespace pleiad
