#include "codelets/ops/binary_cross_entropy_with_logits.hpp"

#include <cmath>

#include "codelets/loss/pointwise_loss.hpp"
#include "codelets/ops/scale_by.hpp"

namespace pleiad {
namespace {

struct BinaryCrossEntropy {
  static constexpr PointwiseKind kKind = PointwiseKind::binary_cross_entropy;
  explicit BinaryCrossEntropy(const Attrs&) {}
  template <class M, class W>
  W value(W x, W target) const {
    return (x < 0 ? W(0) : x) - x * target + M::log1p_of_fraction(M::exp(-std::fabs(x)));
  }
  template <class M, class W>
  W slope(W x, W target) const {
    return M::sigmoid(x) - target;
  }
};

/// The derivative by the target is -x / number of elements.
void gradient(Grad& g) {
  g.dx(0, g.call(binary_cross_entropy_with_logits_grad, {g.x(0), g.x(1), g.dy()})[0]);
  if (!g.wants(1)) return;
  const Attrs mean = Attrs::of(ScaleAttrs{-1 / static_cast<double>(g.shape(g.x(0)).volume())});
  g.dx(1, g.call(scale, {g.call(scale_by, {g.x(0), g.dy()})[0]}, mean)[0]);
}

std::vector<Sample> samples() { return pointwise_loss_samples(); }
std::vector<Sample> grad_samples() { return pointwise_loss_grad_samples(); }

}  // namespace

const Op binary_cross_entropy_with_logits{.name = "binary_cross_entropy_with_logits",
                                          .axes = kPointwiseLossAxes,
                                          .operands = kPointwiseLossOperands,
                                          .flops = 40,
                                          .grad = gradient,
                                          .impls = {{gpu_impl<launch_loss<BinaryCrossEntropy>>(),
                                                     cpu_impl<PointwiseLoss<BinaryCrossEntropy, VectorMath>>("simd"),
                                                     cpu_impl<PointwiseLoss<BinaryCrossEntropy, StdMath>>("ref")}},
                                          .samples = samples};
const Op binary_cross_entropy_with_logits_grad{
    .name = "binary_cross_entropy_with_logits_grad",
    .axes = kPointwiseLossGradAxes,
    .operands = kPointwiseLossGradOperands,
    .flops = 24,
    .impls = {{gpu_impl<launch_loss_grad<BinaryCrossEntropy>>(),
               cpu_impl<PointwiseLossGrad<BinaryCrossEntropy, VectorMath>>("simd"),
               cpu_impl<PointwiseLossGrad<BinaryCrossEntropy, StdMath>>("ref")}},
    .samples = grad_samples};

}  // namespace pleiad
