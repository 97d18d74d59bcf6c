#include "codelets/blas/contract_simd.hpp"

namespace pleiad {
namespace {

bool contiguous_inputs(const Contraction& c, const Loop& l) {
  return std::all_of(l.stride.begin(), l.stride.begin() + static_cast<std::ptrdiff_t>(c.inputs()),
                     [](Index s) { return s == 0 || s == 1; });
}

/// How well a loop vectorises; 0: not at all.
int rank_of(const Contraction& c, const Loop& l) {
  const bool output = c.stride_of_output(l) == 1, contiguous = contiguous_inputs(c, l);
  if (output) return contiguous ? 4 : 2;
  return c.summed(l) ? (contiguous ? 3 : 1) : 0;
}

}  // namespace

VectorNest::VectorNest(const Contraction& c) : rest(c) {
  const auto loops = c.loops();
  const auto best = std::ranges::max_element(loops, {}, [&](const Loop& l) { return rank_of(c, l); });
  if (best != loops.end() && rank_of(c, *best) > 0) {
    vector = *best;
    along_output = c.stride_of_output(vector) == 1;
    rest = c.without(static_cast<std::size_t>(best - loops.begin()));
  }
  outputs = static_cast<std::size_t>(std::ranges::count_if(rest.loops(), [&](const Loop& l) { return !c.summed(l); }));
}

}  // namespace pleiad
