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

constexpr std::string_view kFmnistCnn = R"([model]
kind = "cnn"
channels = [16, 32, 64]
blocks = 1

[data]
train = "fashion-mnist"

[train]
epochs = 6
batch = 128

[optim]
kind = "adamw"
lr = 4e-3
schedule = "cosine"
warmup = 200
weight_decay = 1e-2
)";

constexpr std::string_view kCharlmLstm = R"([model]
kind = "lstm"
layers = 1
width = 256
context = 64

[data]
train = "kjv-bible"
holdout = 0.1

[train]
epochs = 1
batch = 64
grad_clip = 1.0

[optim]
kind = "adamw"
lr = 4e-3
schedule = "cosine"
warmup = 50
)";

constexpr std::string_view kGptTiny = R"([model]
kind = "gpt2"
layers = 4
heads = 4
width = 128
context = 128

[data]
train = "kjv-bible"
holdout = 0.1

[train]
epochs = 1
batch = 32
grad_clip = 1.0

[optim]
kind = "adamw"
lr = 2e-3
schedule = "cosine"
warmup = 100
weight_decay = 1e-2
)";

constexpr auto kPresets = std::to_array<Preset>({
    {"fmnist-mlp", "Fashion-MNIST, 784-512-256-10, adamw", kFmnistMlp},
    {"fmnist-cnn", "Fashion-MNIST, residual network 16-32-64, adamw", kFmnistCnn},
    {"charlm-lstm", "next byte of the King James Bible, LSTM of 256, adamw", kCharlmLstm},
    {"gpt-tiny", "next byte of the King James Bible, GPT-2 with 4 layers of 128, adamw", kGptTiny},
    {"digits-mlp", "8x8 handwritten digits, 64-128-64-10, adamw", kDigitsMlp},
});

}  // namespace

std::span<const Preset> presets() { return kPresets; }

const Preset* find_preset(std::string_view name) {
  const auto found = std::ranges::find(kPresets, name, &Preset::name);
  return found == kPresets.end() ? nullptr : &*found;
}

}  // namespace pleiad
