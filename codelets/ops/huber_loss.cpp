#include "codelets/ops/huber_loss.hpp"

#include <cmath>

#include "codelets/loss/pointwise_loss.hpp"

namespace pleiad {
namespace {

struct Huber {
  static constexpr PointwiseKind kKind = PointwiseKind::huber;
  double delta;

  explicit Huber(const Attrs& attrs) : delta(attrs.as<HuberAttrs>().delta) {}
  template <class M, class W>
  W value(W x, W target) const {
    const W d = std::fabs(x - target), bound = static_cast<W>(delta);
    return d < bound ? d * d / 2 : bound * (d - bound / 2);
  }
  template <class M, class W>
  W slope(W x, W target) const {
    const W d = x - target, bound = static_cast<W>(delta);
    return d > bound ? bound : d < -bound ? -bound : d;
  }
};

std::vector<Sample> samples() { return pointwise_loss_samples(Attrs::of(HuberAttrs{.delta = 0.7})); }
std::vector<Sample> grad_samples() { return pointwise_loss_grad_samples(Attrs::of(HuberAttrs{.delta = 0.7})); }

}  // namespace

const Op huber_loss{.name = "huber_loss",
                    .axes = kPointwiseLossAxes,
                    .operands = kPointwiseLossOperands,
                    .flops = 6,
                    .grad = difference_gradient<huber_loss_grad>,
                    .impls = {{gpu_impl<launch_loss<Huber>>(), cpu_impl<PointwiseLoss<Huber, StdMath>>("ref")}},
                    .samples = samples};
const Op huber_loss_grad{
    .name = "huber_loss_grad",
    .axes = kPointwiseLossGradAxes,
    .operands = kPointwiseLossGradOperands,
    .flops = 5,
    .impls = {{gpu_impl<launch_loss_grad<Huber>>(), cpu_impl<PointwiseLossGrad<Huber, StdMath>>("ref")}},
    .samples = grad_samples};

}  // namespace pleiad
