#include "codelets/ops/sum_squares.hpp"

#include "codelets/gpu/sum_parts.hpp"
#include "codelets/kernel.hpp"

namespace pleiad {
namespace {

struct SumSquares {
  template <class T>
  static void run(const Call& c) noexcept {
    const T* x = c[0].as<const T>();
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (Index i = 0; i < c[0].size(); ++i) {
      const double v = static_cast<double>(static_cast<Wide<T>>(x[i]));
      sum += v * v;
    }
    put<Wide<T>>(c[1], 0, static_cast<Wide<T>>(sum));
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
