#include "codelets/ops/sum_squares.hpp"

#include "codelets/gpu/sum_parts.hpp"
#include "codelets/kernel.hpp"
#include "codelets/ops/squares.hpp"

namespace pleiad {
namespace {

struct SumSquares {
  template <class T>
  static void run(const Call& c) noexcept {
    put<Wide<T>>(c[1], 0, static_cast<Wide<T>>(squares(c[0].as<const T>(), c[0].size())));
  }
};

void launch(const Call& c, GpuQueue& q) {
  const DType dtype = c[0].dtype;
  const GpuGrid grid = grid_of_elements(c[0].size());
  const GpuMemory parts = scratch_of_parts(q, dtype, grid.groups[0]);
  q.run("sum_squares", dtype, grid, c[0], parts, c[0].size());
  sum_parts(q, dtype, parts, grid.groups[0], 1, c[1]);
}

std::vector<Sample> samples() { return {{.inputs = {{7, 5}}}}; }

}  // namespace

const Op sum_squares{.name = "sum_squares",
                     .axes = "...->",
                     .operands = {{{"x"}, {"y", Element::wide}}},
                     .flops = 2,
                     .impls = {{gpu_impl<launch>(), cpu_impl<SumSquares>("ref")}},
                     .samples = samples};

}  // namespace pleiad
