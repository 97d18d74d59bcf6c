#include "codelets/ops/softmax_cross_entropy.hpp"

#include "codelets/gpu/sum_parts.hpp"
#include "codelets/ops/cross_entropy_row.hpp"
#include "codelets/ops/scale_by.hpp"

namespace pleiad {
namespace {

template <class M>
struct CrossEntropy {
  template <class T>
  static void run(const Call& c) noexcept {
    const Index rows = c[1].size(), n = c[0].shape.back();
    const auto* ids = c[1].as<const std::int32_t>();
    const double weight = 1.0 / std::max(1, *c[2].as<const std::int32_t>());
    double loss = 0;
    for (Index r = 0; r < rows; ++r) {
      check_class_id("softmax_cross_entropy", ids[r], n);
      T* dx = c[4].as<T>() + r * n;
      if (ids[r] < 0)
        fill_row(dx, n, c[4].accumulate, [](Index) { return Wide<T>(0); });
      else
        loss += run_row(c[0].as<const T>() + r * n, n, ids[r], static_cast<Wide<T>>(weight), dx, c[4].accumulate);
    }
    put<Wide<T>>(c[3], 0, static_cast<Wide<T>>(loss * weight));
  }

 private:
  /// Loss of one row; dx = weight * (softmax(x) - one at id).
  template <class T>
  static double run_row(const T* x, Index n, Index id, Wide<T> weight, T* dx, bool accumulate) noexcept {
    auto* e = static_cast<Wide<T>*>(scratch(static_cast<std::size_t>(n) * sizeof(Wide<T>)));
    Wide<T> sum = 0;
    const double loss = cross_entropy_loss<M>(x, n, id, e, sum);
    cross_entropy_gradient(e, sum, id, weight, dx, n, accumulate);
    return loss;
  }
};

void launch(const Call& c, GpuQueue& q) {
  const Index rows = c[1].size(), groups = groups_of_rows(rows);
  const DType dtype = c[0].dtype;
  const GpuMemory parts = scratch_of_parts(q, dtype, groups);
  q.run("softmax_cross_entropy", dtype, grid_of_groups(groups, 64), c[0], c[1], c[2], parts, c[4], rows,
        c[0].shape.back(), c[4].accumulate);
  sum_parts(q, dtype, parts, groups, 1, c[3]);
}

void gradient(Grad& g) { g.dx(0, g.unit_dy() ? g.y(1) : g.call(scale_by, {g.y(1), g.dy()})[0]); }

std::vector<Sample> samples() {
  const std::vector<Domain> domains{Domain::normal, Domain::ids, Domain::positive};
  return {{.inputs = {{7, 5}, {7}, {}}, .domains = domains}, {.inputs = {{3, 2, 33}, {3, 2}, {}}, .domains = domains}};
}

}  // namespace

const Op softmax_cross_entropy{
    .name = "softmax_cross_entropy",
    .axes = "...V,...,->,...V",
    .operands =
        {{{"logits"}, {"ids", Element::index}, {"count", Element::index}, {"loss", Element::wide}, {"dlogits"}}},
    .flops = 24,
    .grad = gradient,
    .impls = {{gpu_impl<launch>(), cpu_impl<CrossEntropy<VectorMath>>("simd"), cpu_impl<CrossEntropy<StdMath>>("ref")}},
    .samples = samples};

}  // namespace pleiad
