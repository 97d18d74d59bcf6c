#include "codelets/ops/adaptive_avg_pool2d.hpp"

#include "codelets/gpu/kernel.hpp"
#include "codelets/pool/pool.hpp"

namespace pleiad {
namespace {

void run(const Call& c) noexcept { average(adaptive_windows(c[0], c[1]), c[0], c[1]); }
void run_grad(const Call& c) noexcept { average_grad(adaptive_windows(c[1], c[0]), c[0], c[1]); }

void launch(const Call& c, GpuQueue& q) { gpu_average(q, gpu_adaptive(c[0], c[1]), c[0], c[1]); }
void launch_grad(const Call& c, GpuQueue& q) { gpu_average_grad(q, gpu_adaptive(c[1], c[0]), c[0], c[1]); }

Index extent(char axis, std::span<const Shape>, const Attrs& attrs) {
  return attrs.as<AdaptivePoolAttrs>().extents[axis == 'P' || axis == 'H' ? 0 : 1];
}

Attrs attrs_of(Index rows, Index cols) {
  return Attrs::of(AdaptivePoolAttrs{{static_cast<std::int32_t>(rows), static_cast<std::int32_t>(cols)}});
}

void gradient(Grad& g) {
  const Shape x = g.shape(g.x(0));
  g.dx(0, g.call(adaptive_avg_pool2d_grad, {g.dy()}, attrs_of(x[1], x[2]))[0]);
}

std::vector<Sample> samples() {
  return {{.inputs = {{3, 4, 3, 7}}, .attrs = attrs_of(1, 1)}, {.inputs = {{2, 5, 4, 3}}, .attrs = attrs_of(3, 2)}};
}
std::vector<Sample> grad_samples() {
  return {{.inputs = {{3, 1, 1, 7}}, .attrs = attrs_of(4, 3)}, {.inputs = {{2, 3, 2, 3}}, .attrs = attrs_of(5, 4)}};
}

}  // namespace

const Op adaptive_avg_pool2d{.name = "adaptive_avg_pool2d",
                             .axes = "nHWc->nPQc",
                             .operands = {{{"x"}, {"y"}}},
                             .over = "nHWc",
                             .extent = extent,
                             .grad = gradient,
                             .impls = {{gpu_impl<launch>(), {.name = "ref", .run = run}}},
                             .samples = samples};
const Op adaptive_avg_pool2d_grad{.name = "adaptive_avg_pool2d_grad",
                                  .axes = "nPQc->nHWc",
                                  .operands = {{{"dy"}, {"dx"}}},
                                  .flops = 2,
                                  .over = "nHWc",
                                  .extent = extent,
                                  .impls = {{gpu_impl<launch_grad>(), {.name = "ref", .run = run_grad}}},
                                  .samples = grad_samples};

}  // namespace pleiad
