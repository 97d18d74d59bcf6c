#include "codelets/ops/count_valid.hpp"

#include "codelets/kernel.hpp"

namespace pleiad {
namespace {

void run(const Call& c) noexcept {
  const auto* ids = c[0].as<const std::int32_t>();
  std::int32_t count = 0;
#pragma omp simd reduction(+ : count)
  for (Index i = 0; i < c[0].size(); ++i) count += ids[i] >= 0;
  put<std::int32_t>(c[1], 0, count);
}

void launch(const Call& c, GpuQueue& q) {
  q.run("count_valid", DType::i32, grid_of_groups(1, 256), c[0], c[1], c[0].size(), c[1].accumulate);
}

std::vector<Sample> samples() { return {{.inputs = {{7, 5}}, .domains = {Domain::ids}}}; }

}  // namespace

const Op count_valid{.name = "count_valid",
                     .axes = "...->",
                     .operands = {{{"ids", Element::index}, {"count", Element::index}}},
                     .impls = {{gpu_impl<launch>(), {.name = "ref", .run = run}}},
                     .samples = samples};

}  // namespace pleiad
