#include "apps/config/presets.hpp"

#include <algorithm>
#include <array>

namespace pleiad {
namespace {

constexpr std::string_view kFmnistMlp = R"([model]
kind = "mlp"
hidden = [512, 256]
activation = "relu"

[data]
train = "fashion-mnist"

[train]
epochs = 6
batch = 256

[optim]
kind = "adamw"
lr = 2e-3
schedule = "cosine"
)";

constexpr std::string_view kDigitsMlp = R"([model]
kind = "mlp"
hidden = [128, 64]
activation = "relu"

[data]
train = "digits"
normalize = "max"

[train]
epochs = 30
batch = 64

[optim]
kind = "adamw"
lr = 2e-3
schedule = "cosine"
)";

constexpr auto kPresets = std::to_array<Preset>({
    {"fmnist-mlp", "Fashion-MNIST, 784-512-256-10, adamw", kFmnistMlp},
    {"digits-mlp", "8x8 handwritten digits, 64-128-64-10, adamw", kDigitsMlp},
});

}  // namespace

std::span<const Preset> presets() { return kPresets; }

const Preset* find_preset(std::string_view name) {
  const auto found = std::ranges::find(kPresets, name, &Preset::name);
  return found == kPresets.end() ? nullptr : &*found;
}

}  // namespace pleiad
