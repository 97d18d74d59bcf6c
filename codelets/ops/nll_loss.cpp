#include "codelets/ops/nll_loss.hpp"

#include <algorithm>

#include "codelets/base/loops.hpp"
#include "codelets/gpu/sum_parts.hpp"
#include "codelets/ops/scale_by.hpp"

namespace pleiad {
namespace {

struct NllLoss {
  template <class T>
  static void run(const Call& c) noexcept {
    using W = Wide<T>;
    const Index n = c[0].shape.back();
    const auto* ids = c[1].as<const std::int32_t>();
    const double weight = 1.0 / std::max(1, *c[2].as<const std::int32_t>());
    double sum = 0;
    clear_unless_accumulating(c[4]);
    for (Index r = 0; r < c[1].size(); ++r) {
      if (ids[r] >= n)
        fatal("nll_loss: class id " + std::to_string(ids[r]) + ", but there are " + std::to_string(n) + " classes");
      if (ids[r] < 0) continue;
      const Index at = r * n + ids[r];
      sum -= static_cast<double>(get<T>(c[0], at));
      store(c[4].as<T>()[at], get<T>(c[4], at) - static_cast<W>(weight));
    }
    put<W>(c[3], 0, static_cast<W>(sum * weight));
  }
};

void launch(const Call& c, GpuQueue& q) {
  const GpuGrid grid = grid_of_elements(c[0].size());
  const GpuMemory parts = scratch_of_parts(q, c[0].dtype, grid.groups[0]);
  q.run("nll_loss", c[0].dtype, grid, c[0], c[1], c[2], parts, c[4], c[1].size(), c[0].shape.back(), c[4].accumulate);
  sum_parts(q, c[0].dtype, parts, grid.groups[0], 1, c[3]);
}

void gradient(Grad& g) { g.dx(0, g.unit_dy() ? g.y(1) : g.call(scale_by, {g.y(1), g.dy()})[0]); }

std::vector<Sample> samples() {
  const std::vector<Domain> domains{Domain::normal, Domain::ids, Domain::positive};
  return {{.inputs = {{7, 5}, {7}, {}}, .domains = domains}, {.inputs = {{3, 2, 33}, {3, 2}, {}}, .domains = domains}};
}

}  // namespace

const Op nll_loss{
    .name = "nll_loss",
    .axes = "...V,...,->,...V",
    .operands =
        {{{"log_probs"}, {"ids", Element::index}, {"count", Element::index}, {"loss", Element::wide}, {"dlog_probs"}}},
    .grad = gradient,
    .impls = {{gpu_impl<launch>(), cpu_impl<NllLoss>("ref")}},
    .samples = samples};

}  // namespace pleiad
