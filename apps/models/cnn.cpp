#include <fmt/format.h>

#include "apps/models/kinds.hpp"
#include "codelets/ops/add.hpp"
#include "codelets/ops/einsum.hpp"
#include "codelets/ops/relu.hpp"
#include "graph/layers.hpp"

namespace pleiad {
namespace {

class Resnet {
 public:
  Resnet(nn::Builder& b, bool training) : b_(b), training_(training) {}

  Sym conv_bn(Sym x, const std::string& conv, const std::string& bn, const nn::Conv& c, bool relu) {
    return nn::batch_norm(b_, bn, nn::conv2d(b_, conv, x, c), relu, training_);
  }

  /// relu(x + F(x)); a 1x1 convolution brings x to the shape of F(x) where they differ.
  Sym block(Sym x, const std::string& name, const Axis& channels, Index stride) {
    Sym y = conv_bn(x, name + ".conv1", name + ".bn1", {.out = channels, .stride = stride}, true);
    y = conv_bn(y, name + ".conv2", name + ".bn2", {.out = channels}, false);
    if (stride != 1 || b_.graph[x].shape.back() != channels.extent)
      x = conv_bn(x, name + ".downsample.0", name + ".downsample.1",
                  {.out = channels, .size = 1, .stride = stride, .padding = 0}, false);
    return b_.graph.one(relu, {b_.graph.one(add, {x, y})});
  }

 private:
  nn::Builder& b_;
  bool training_;
};

/// 28x28 or 32x32x3.
Shape image_of(const Shape& sample) {
  if (sample.rank() == 2) return {sample[0], sample[1], 1};
  if (sample.rank() == 3) return sample;
  throw Error(Exit::usage,
              fmt::format("model.kind = cnn needs images (rows x columns, or with channels last), samples are "
                          "{}\nmodel.kind = mlp takes any samples",
                          to_string(sample)));
}

}  // namespace

nn::Network cnn(nn::Builder& b, const ModelConfig& m, const DataShape& data, Index batch, Use use) {
  const Shape image = image_of(data.sample);
  const Axis rows{"batch", batch};
  nn::Network net;
  net.x =
      b.graph.tensor("x", {rows, {"rows", image[0]}, {"cols", image[1]}, {"channels", image[2]}}, Kind::input, b.dtype);
  net.labels = b.graph.tensor("labels", {rows}, Kind::input, DType::i32);
  Resnet net_of(b, use == Use::training);
  Sym x = net_of.conv_bn(net.x, "conv1", "bn1", {.out = {"channels0", m.channels[0]}}, true);
  for (std::size_t stage = 0; stage < m.channels.size(); ++stage)
    for (Index block = 0; block < m.blocks; ++block) {
      const Axis channels{fmt::format("channels{}", stage + 1), m.channels[stage]};
      x = net_of.block(x, fmt::format("layer{}.{}", stage + 1, block), channels, stage > 0 && block == 0 ? 2 : 1);
    }
  const Sym pooled = b.graph.one(einsum, {x}, einsum_attrs("nhwc->nc", "hw"));
  net.logits = nn::linear(b, "fc", pooled, {"classes", data.classes}, nn::Activation::none);
  net.out = nn::cross_entropy(b, net.logits, net.labels);
  return net;
}

}  // namespace pleiad
