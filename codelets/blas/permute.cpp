#include "codelets/blas/permute.hpp"

namespace pleiad {

std::optional<Permutation> permutation_of(const Contraction& c) {
  if (c.inputs() != 1) return {};
  const auto loops = c.loops();
  std::size_t x = loops.size(), y = x;
  for (std::size_t i = 0; i < loops.size(); ++i) {
    if (loops[i].stride[0] == 0 || c.summed(loops[i])) return {};
    if (loops[i].stride[0] == 1) x = i;
    if (loops[i].stride[1] == 1) y = i;
  }
  Permutation p{.along_x = {}, .along_y = {}, .rest = c};
  if (y < loops.size()) p.along_y = loops[y];
  if (x < loops.size() && x != y) p.along_x = loops[x];
  // The later one first: it leaves the number of the other as it is.
  for (std::size_t i = loops.size(); i-- > 0;)
    if (i == x || i == y) p.rest = p.rest.without(i);
  return p;
}

}  // namespace pleiad
