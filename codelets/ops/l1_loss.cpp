#include "codelets/ops/l1_loss.hpp"

#include <cmath>

#include "codelets/loss/pointwise_loss.hpp"

namespace pleiad {
namespace {

struct Distance {
  static constexpr PointwiseKind kKind = PointwiseKind::distance;
  explicit Distance(const Attrs&) {}
  template <class M, class W>
  W value(W x, W target) const {
    return std::fabs(x - target);
  }
  template <class M, class W>
  W slope(W x, W target) const {
    const W d = x - target;
    return d == 0 ? d : std::copysign(W(1), d);
  }
};

std::vector<Sample> samples() { return pointwise_loss_samples(); }
std::vector<Sample> grad_samples() { return pointwise_loss_grad_samples(); }

}  // namespace

const Op l1_loss{.name = "l1_loss",
                 .axes = kPointwiseLossAxes,
                 .operands = kPointwiseLossOperands,
                 .flops = 3,
                 .grad = difference_gradient<l1_loss_grad>,
                 .impls = {{gpu_impl<launch_loss<Distance>>(), cpu_impl<PointwiseLoss<Distance, StdMath>>("ref")}},
                 .samples = samples};
const Op l1_loss_grad{
    .name = "l1_loss_grad",
    .axes = kPointwiseLossGradAxes,
    .operands = kPointwiseLossGradOperands,
    .flops = 4,
    .impls = {{gpu_impl<launch_loss_grad<Distance>>(), cpu_impl<PointwiseLossGrad<Distance, StdMath>>("ref")}},
    .samples = grad_samples};

}  // namespace pleiad
