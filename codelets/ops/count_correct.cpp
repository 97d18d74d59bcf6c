#include "codelets/ops/count_correct.hpp"

#include "codelets/gpu/sum_parts.hpp"
#include "codelets/kernel.hpp"

namespace pleiad {
namespace {

/// Whether the id-th of n numbers is the first of the largest ones; NaN is the largest.
template <class T>
bool is_largest(const T* x, Index n, Index id) noexcept {
  const auto top = static_cast<Wide<T>>(x[id]);
  int higher = 0;
#pragma omp simd reduction(+ : higher)
  for (Index i = 0; i < id; ++i) higher += static_cast<Wide<T>>(x[i]) < top ? 0 : 1;
#pragma omp simd reduction(+ : higher)
  for (Index i = id + 1; i < n; ++i) higher += static_cast<Wide<T>>(x[i]) <= top ? 0 : 1;
  return higher == 0;
}

struct CountCorrect {
  template <class T>
  static void run(const Call& c) noexcept {
    const Index n = c[0].shape.back();
    const auto* ids = c[1].as<const std::int32_t>();
    Index correct = 0;
    for (Index r = 0; r < c[1].size(); ++r)
      if (ids[r] >= 0 && ids[r] < n) correct += is_largest(c[0].as<const T>() + r * n, n, ids[r]);
    put<Wide<T>>(c[2], 0, static_cast<Wide<T>>(correct));
  }
};

void launch(const Call& c, GpuQueue& q) {
  const Index rows = c[1].size(), groups = groups_of_rows(rows);
  const DType dtype = c[0].dtype;
  const GpuMemory parts = scratch_of_parts(q, dtype, groups);
  q.run("count_correct", dtype, grid_of_groups(groups, 64), c[0], c[1], parts, rows, c[0].shape.back());
  sum_parts(q, dtype, parts, groups, 1, c[2]);
}

std::vector<Sample> samples() {
  return {{.inputs = {{7, 3}, {7}}, .domains = {Domain::normal, Domain::ids}},
          {.inputs = {{3, 2, 5}, {3, 2}}, .domains = {Domain::normal, Domain::ids}}};
}

}  // namespace

const Op count_correct{.name = "count_correct",
                       .axes = "...V,...->",
                       .operands = {{{"logits"}, {"ids", Element::index}, {"correct", Element::wide}}},
                       .impls = {{gpu_impl<launch>(), cpu_impl<CountCorrect>("ref")}},
                       .samples = samples};

}  // namespace pleiad
