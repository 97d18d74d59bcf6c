#pragma once
#include <algorithm>
#include <cmath>

#include "codelets/op.hpp"

// Ops in f64 with the traits that the built-in ones lack: outputs that merge jointly, and empty tiles.

namespace pleiad::testing {

inline Index element_count(const Tile& t) { return t.shape.volume(); }

/// Adds a partial (top, sum of exp(x - top)) to the i-th element of two tiles.
inline void merge_into(const Tile& top, const Tile& sum, Index i, double t, double s) {
  double &a = top.as<double>()[i], &b = sum.as<double>()[i];
  const double m = std::max(a, t);
  b = b * std::exp(a - m) + s * std::exp(t - m);
  a = m;
}
inline void run_log_sum(const Call& c) noexcept {
  const Index columns = c[0].shape[1];
  for (Index r = 0; r < element_count(c[1]); ++r) {
    if (!c[1].accumulate) {
      c[1].as<double>()[r] = -1e300;
      c[2].as<double>()[r] = 0;
    }
    for (Index i = 0; i < columns; ++i) merge_into(c[1], c[2], r, c[0].as<double>()[r * columns + i], 1);
  }
}
inline void run_merge(const Call& c) noexcept {
  for (Index i = 0; i < element_count(c[4]); ++i) {
    c[4].as<double>()[i] = c[0].as<double>()[i];
    c[5].as<double>()[i] = c[1].as<double>()[i];
    merge_into(c[4], c[5], i, c[2].as<double>()[i], c[3].as<double>()[i]);
  }
}
inline const Op merge_log_sums{.name = "merge_log_sums",
                               .axes = "...,...,...,...->...,...",
                               .operands = {{{"top_a"}, {"sum_a"}, {"top_b"}, {"sum_b"}, {"top"}, {"sum"}}},
                               .impls = {{{.name = "ref", .run = run_merge}}}};
/// top = largest of a row, sum = sum of exp(x - top): partial results merge only together.
inline const Op log_sum{.name = "log_sum",
                        .axes = "rc->r,r",
                        .operands = {{{"x"}, {"top"}, {"sum"}}},
                        .combine = &merge_log_sums,
                        .impls = {{{.name = "ref", .run = run_log_sum}}}};

/// y[t] = sum of a[t, s] over s <= t - 4.
inline void run_past(const Call& c) noexcept {
  for (Index t = 0; t < c[1].shape[0]; ++t) {
    double sum = c[1].accumulate ? c[1].as<double>()[t] : 0;
    for (Index s = 0; s < c[0].shape[1]; ++s)
      if (c[0].origin[1] + s + 4 <= c[0].origin[0] + t) sum += c[0].as<double>()[t * c[0].shape[1] + s];
    c[1].as<double>()[t] = sum;
  }
}
inline bool past_is_empty(std::span<const Tile> t, const Attrs&) {
  return t[0].origin[1] + 4 > t[0].origin[0] + t[0].shape[0] - 1;
}
inline const Op past{.name = "past",
                     .axes = "ts->t",
                     .operands = {{{"a"}, {"y"}}},
                     .empty = past_is_empty,
                     .impls = {{{.name = "ref", .run = run_past}}}};

}  // namespace pleiad::testing
