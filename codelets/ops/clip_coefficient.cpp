#include "codelets/ops/clip_coefficient.hpp"

#include <cmath>

#include "codelets/kernel.hpp"

namespace pleiad {
namespace {

struct ClipCoefficient {
  template <class T>
  static void run(const Call& c) noexcept {
    const auto norm = std::sqrt(get<T>(c[0], 0));
    const auto bound = static_cast<Wide<T>>(c.attrs.as<ClipAttrs>().max_norm) / (norm + Wide<T>(1e-6));
    put<T>(c[1], 0, bound > 1 ? Wide<T>(1) : bound);  // NaN stays NaN
    put<T>(c[2], 0, norm);
  }
};

void launch(const Call& c, GpuQueue& q) {
  q.run("clip_coefficient", c[0].dtype, grid_of_groups(1, 1), c[0], c[1], c[2], c.attrs.as<ClipAttrs>().max_norm,
        c[1].accumulate, c[2].accumulate);
}

std::vector<Sample> samples() {
  return {{.inputs = {{}}, .attrs = Attrs::of(ClipAttrs{0.5}), .domains = {Domain::positive}}};
}

}  // namespace

const Op clip_coefficient{.name = "clip_coefficient",
                          .axes = "->,",
                          .operands = {{{"norm2"}, {"coefficient"}, {"norm"}}},
                          .flops = 4,
                          .impls = {{gpu_impl<launch>(), cpu_impl<ClipCoefficient>("ref")}},
                          .samples = samples};

}  // namespace pleiad
