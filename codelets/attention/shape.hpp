#pragma once
#include <algorithm>
#include <cmath>

#include "codelets/ops/attention.hpp"

namespace pleiad {

/// Extents and mask of a call of attention or its gradient, whose first operands are q and k.
struct AttentionShape {
  Index batch, queries, groups, heads, size, keys;
  Index ahead;  // query i sees the keys before ahead + i
  double scale;

  explicit AttentionShape(const Call& c)
      : batch(c[0].shape[0]),
        queries(c[0].shape[1]),
        groups(c[0].shape[2]),
        heads(c[0].shape[3]),
        size(c[0].shape[4]),
        keys(c[1].shape[1]) {
    const auto a = c.attrs.as<AttentionAttrs>();
    ahead = a.causal ? c[0].origin[1] + 1 - c[1].origin[1] : keys;
    scale = a.scale == 0 ? 1 / std::sqrt(static_cast<double>(size)) : a.scale;
  }
  /// How many keys of the tile a query sees.
  Index visible(Index query) const { return std::clamp<Index>(ahead + query, 0, keys); }
  /// Numbers of rows in q, y, lse and in k, v.
  Index query_row(Index b, Index t, Index g, Index r) const { return ((b * queries + t) * groups + g) * heads + r; }
  Index key_row(Index b, Index s, Index g) const { return (b * keys + s) * groups + g; }
  Index query_step() const { return groups * heads; }
  Index key_step() const { return groups; }
};

/// Calls f(b, g) for every pair of keys and values.
template <class F>
void for_each_group(const AttentionShape& s, F f) {
  for (Index b = 0; b < s.batch; ++b)
    for (Index g = 0; g < s.groups; ++g) f(b, g);
}

/// How two partial results are weighted, and the log-sum-exp of both. -inf: saw no keys.
template <class W>
struct Merge {
  W lse, of_first, of_second;

  Merge(W a, W b) {
    const bool none = a == -HUGE_VAL && b == -HUGE_VAL;
    const W base = none ? W(0) : std::max(a, b);
    lse = base + std::log(std::exp(a - base) + std::exp(b - base));
    of_first = none ? W(0) : std::exp(a - lse);
    of_second = none ? W(0) : std::exp(b - lse);
  }
};

}  // namespace pleiad
