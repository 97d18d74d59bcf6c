#include "codelets/ops/mse_loss.hpp"

#include "codelets/loss/pointwise_loss.hpp"

namespace pleiad {
namespace {

struct Square {
  static constexpr PointwiseKind kKind = PointwiseKind::square;
  explicit Square(const Attrs&) {}
  template <class M, class W>
  W value(W x, W target) const {
    return (x - target) * (x - target);
  }
  template <class M, class W>
  W slope(W x, W target) const {
    return 2 * (x - target);
  }
};

std::vector<Sample> samples() { return pointwise_loss_samples(); }
std::vector<Sample> grad_samples() { return pointwise_loss_grad_samples(); }

}  // namespace

const Op mse_loss{.name = "mse_loss",
                  .axes = kPointwiseLossAxes,
                  .operands = kPointwiseLossOperands,
                  .flops = 3,
                  .grad = difference_gradient<mse_loss_grad>,
                  .impls = {{gpu_impl<launch_loss<Square>>(), cpu_impl<PointwiseLoss<Square, StdMath>>("ref")}},
                  .samples = samples};
const Op mse_loss_grad{
    .name = "mse_loss_grad",
    .axes = kPointwiseLossGradAxes,
    .operands = kPointwiseLossGradOperands,
    .flops = 4,
    .impls = {{gpu_impl<launch_loss_grad<Square>>(), cpu_impl<PointwiseLossGrad<Square, StdMath>>("ref")}},
    .samples = grad_samples};

}  // namespace pleiad
