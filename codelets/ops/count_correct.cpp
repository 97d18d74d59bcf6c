#include "codelets/ops/count_correct.hpp"

#include <algorithm>

#include "codelets/gpu/sum_parts.hpp"
#include "codelets/kernel.hpp"

namespace pleiad {
namespace {

struct CountCorrect {
  template <class T>
  static void run(const Call& c) noexcept {
    const Index n = c[0].shape.back();
    const auto* ids = c[1].as<const std::int32_t>();
    const auto less = [](T a, T b) { return static_cast<Wide<T>>(a) < static_cast<Wide<T>>(b); };
    Index correct = 0;
    for (Index r = 0; r < c[1].size(); ++r) {
      const T* row = c[0].as<const T>() + r * n;
      correct += std::max_element(row, row + n, less) - row == ids[r];
    }
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
