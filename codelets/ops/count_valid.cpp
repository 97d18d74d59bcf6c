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

std::vector<Sample> samples() { return {{.inputs = {{7, 5}}, .domains = {Domain::ids}}}; }

}  // namespace

const Op count_valid{.name = "count_valid",
                     .axes = "...->",
                     .operands = {{{"ids", Element::index}, {"count", Element::index}}},
                     .impls = {{{.name = "ref", .run = run}}},
                     .samples = samples};

}  // namespace pleiad
