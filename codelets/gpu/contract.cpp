#include "codelets/gpu/contract.hpp"

#include "codelets/base/gpu_arguments.h"

namespace pleiad {
namespace {

/// How a contraction is spread over a GPU.
struct Spread {
  GpuLoops loops{};
  Index outputs = 1, length = 1;  // of each sum
  bool neighbours = true;         // the innermost sum is over neighbours in the first input

  explicit Spread(const Contraction& c) {
    loops.inputs = static_cast<int>(c.inputs());
    std::size_t d = 0;
    for (const Loop& l : c.loops()) {
      const bool summed = c.summed(l);
      (summed ? loops.sums : loops.outputs) += 1;
      (summed ? length : outputs) *= l.extent;
      if (summed) neighbours = l.stride[0] == 1;
      loops.extent[d] = l.extent;
      for (std::size_t i = 0; i < c.inputs(); ++i) loops.stride[d][i] = l.stride[i];
      loops.stride[d++][3] = c.stride_of_output(l);
    }
  }
};

}  // namespace

bool gpu_can_contract(const Contraction& c) { return c.loops().size() <= GPU_LOOPS; }

void run_contraction(GpuQueue& q, const Contraction& contraction, std::span<const Tile> tiles, double scale) {
  constexpr Index few_outputs = 1024, short_sum = 32;
  const Spread s(contraction);
  const Tile &a = tiles[0], &b = tiles[s.loops.inputs > 1 ? 1 : 0], &c = tiles[s.loops.inputs > 2 ? 2 : 0];
  const Tile& y = tiles.back();
  if (s.length >= short_sum && (s.neighbours || s.outputs < few_outputs))
    q.run("contract_in_groups", y.dtype, grid_of_groups(s.outputs, 256), a, b, c, y, s.loops, s.length, scale,
          y.accumulate);
  else
    q.run("contract", y.dtype, grid_of_elements(s.outputs), a, b, c, y, s.loops, s.outputs, s.length, scale,
          y.accumulate);
}

}  // namespace pleiad
