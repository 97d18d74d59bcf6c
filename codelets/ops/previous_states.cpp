#include "codelets/ops/previous_states.hpp"

#include "codelets/move/stretch.hpp"

namespace pleiad {
namespace {

/// h0 as a sequence of one step.
Tile one_step(const Tile& h0) {
  Tile t = h0;
  t.shape = {h0.shape[0], 1, h0.shape[1]};
  return t;
}

struct PreviousStates {
  template <class T>
  static void run(const Call& c) noexcept {
    copy_part<T>(one_step(c[1]), 0, c[2], 0, 1, 1);
    copy_part<T>(c[0], 0, c[2], 1, c[0].shape[1] - 1, 1);
  }
};

void launch(const Call& c, GpuQueue& q) {
  const Index time = c[0].shape[1];
  const Tile h0 = one_step(c[1]), &y = c[0], &z = c[2];
  gpu_copy(q, z.dtype, {h0.data}, gpu_part(h0.shape, 1, 0, 1), {z.data}, gpu_part(z.shape, 1, 0, 1), z.accumulate);
  gpu_copy(q, z.dtype, {y.data}, gpu_part(y.shape, 1, 0, time - 1), {z.data}, gpu_part(z.shape, 1, 1, time - 1),
           z.accumulate);
}

std::vector<Sample> samples() { return {{.inputs = {{5, 4, 3}, {5, 3}}}, {.inputs = {{2, 1, 3}, {2, 3}}}}; }

}  // namespace

const Op previous_states{.name = "previous_states",
                         .axes = "bTH,bH->bTH",
                         .operands = {{{"y"}, {"h0"}, {"z"}}},
                         .flops = 0,
                         .impls = {{gpu_impl<launch>(), cpu_impl<PreviousStates>("ref")}},
                         .samples = samples};

}  // namespace pleiad
