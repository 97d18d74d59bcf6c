#include "codelets/ops/avg_pool2d.hpp"

#include "codelets/gpu/kernel.hpp"

namespace pleiad {
namespace {

void run(const Call& c) noexcept { average(sliding_windows(c.attrs.as<PoolAttrs>(), c[0], c[1]), c[0], c[1]); }
void run_grad(const Call& c) noexcept {
  average_grad(sliding_windows(c.attrs.as<PoolAttrs>(), c[1], c[0]), c[0], c[1]);
}

void launch(const Call& c, GpuQueue& q) {
  gpu_average(q, gpu_sliding(c.attrs.as<PoolAttrs>(), c[0], c[1]), c[0], c[1]);
}
void launch_grad(const Call& c, GpuQueue& q) {
  gpu_average_grad(q, gpu_sliding(c.attrs.as<PoolAttrs>(), c[1], c[0]), c[0], c[1]);
}

Index extent(char axis, std::span<const Shape> in, const Attrs& attrs) {
  const std::size_t d = axis == 'P' ? 0 : 1;
  return pool_extent("avg_pool2d", attrs.as<PoolAttrs>(), d, in[0][1 + d]);
}
Index grad_extent(char axis, std::span<const Shape> in, const Attrs& attrs) {
  const std::size_t d = axis == 'H' ? 0 : 1;
  return pool_noted_image("avg_pool2d_grad", attrs.as<PoolAttrs>(), d, in[0][1 + d]);
}

void gradient(Grad& g) {
  const auto attrs = with_extents_of(g.attrs().as<PoolAttrs>(), g.shape(g.x(0)));
  g.dx(0, g.call(avg_pool2d_grad, {g.dy()}, Attrs::of(attrs))[0]);
}

constexpr PoolAttrs kOverlapping{.kernel = {3, 2}, .stride = {2, 1}, .padding = {1, 1}, .extents = {5, 4}};
constexpr PoolAttrs kClipped{
    .kernel = {2, 3}, .stride = {3, 2}, .padding = {1, 1}, .count_padding = false, .extents = {5, 4}};

std::vector<Sample> samples() {
  return {{.inputs = {{3, 5, 4, 5}}, .attrs = Attrs::of(kOverlapping)},
          {.inputs = {{2, 5, 4, 3}}, .attrs = Attrs::of(kClipped)}};
}
std::vector<Sample> grad_samples() {
  return {{.inputs = {{3, 3, 5, 5}}, .attrs = Attrs::of(kOverlapping)},
          {.inputs = {{2, 2, 2, 3}}, .attrs = Attrs::of(kClipped)}};
}

}  // namespace

const Op avg_pool2d{.name = "avg_pool2d",
                    .axes = "nHWc->nPQc",
                    .operands = {{{"x"}, {"y"}}},
                    .over = "nHWc",
                    .extent = extent,
                    .grad = gradient,
                    .impls = {{gpu_impl<launch>(), {.name = "ref", .run = run}}},
                    .samples = samples};
const Op avg_pool2d_grad{.name = "avg_pool2d_grad",
                         .axes = "nPQc->nHWc",
                         .operands = {{{"dy"}, {"dx"}}},
                         .flops = 2,
                         .over = "nHWc",
                         .extent = grad_extent,
                         .impls = {{gpu_impl<launch_grad>(), {.name = "ref", .run = run_grad}}},
                         .samples = grad_samples};

}  // namespace pleiad
