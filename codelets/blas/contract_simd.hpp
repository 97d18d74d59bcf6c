#pragma once
#include <algorithm>

#include "codelets/blas/contraction.hpp"
#include "codelets/kernel.hpp"

// Contractions that are no matrix products, vectorised along one loop: along the output where that is contiguous in
// the inputs too (column sums, copies), else along a sum (row sums, matrix-vector).

namespace pleiad {

/// Where a loop nest stands in each operand, in elements.
using Offsets = std::array<Index, 4>;

/// Calls f(offsets, again) for every turn of the loops; `again` tells that the output was visited before.
template <class F>
void for_each_turn(const Contraction& c, std::span<const Loop> loops, Offsets at, bool again, const F& f) {
  if (loops.empty()) return f(at, again);
  const Loop& l = loops.front();
  for (Index i = 0; i < l.extent; ++i) {
    for_each_turn(c, loops.subspan(1), at, again || (i > 0 && c.summed(l)), f);
    for (std::size_t o = 0; o < at.size(); ++o) at[o] += l.stride[o];
  }
}

/// A loop nest with one loop taken out to be vectorised, and the others parted.
struct VectorNest {
  Loop vector;
  bool along_output = false;
  Contraction rest;
  std::size_t outputs = 0;  // loops of `rest` over the output, which come first

  explicit VectorNest(const Contraction&);
  std::span<const Loop> over_output() const { return rest.loops().first(outputs); }
  std::span<const Loop> over_sum() const { return rest.loops().subspan(outputs); }
};

namespace contract {

/// The inputs along the vector loop: a constant, times vectors.
template <class T>
struct Factors {
  Wide<T> constant = 1;
  std::array<const T*, 3> x{};
  std::array<Index, 3> stride{};
  std::size_t n = 0;

  Factors(const Call& c, const Loop& vector, const Offsets& at) {
    for (std::size_t i = 0; i + 1 < c.tiles.size(); ++i) {
      if (vector.stride[i] == 0) {
        constant *= get<T>(c[i], at[i]);
      } else {
        x[n] = c[i].template as<const T>() + at[i];
        stride[n++] = vector.stride[i];
      }
    }
  }
  bool contiguous() const {
    return std::all_of(stride.begin(), stride.begin() + static_cast<std::ptrdiff_t>(n), [](Index s) { return s == 1; });
  }
};

/// Calls use(element), element(i) being the product of the vectors at i.
template <class T, class F>
void with_elements(const Factors<T>& f, F use) {
  using W = Wide<T>;
  const auto [x, y, z] = f.x;
  const auto [s, t, u] = f.stride;
  if (f.n == 0) return use([](Index) { return W(1); });
  if (f.n == 1 && f.contiguous()) return use([x](Index i) { return static_cast<W>(x[i]); });
  if (f.n == 1) return use([x, s](Index i) { return static_cast<W>(x[i * s]); });
  if (f.n == 2 && f.contiguous()) return use([x, y](Index i) { return static_cast<W>(x[i]) * static_cast<W>(y[i]); });
  if (f.n == 2) return use([x, y, s, t](Index i) { return static_cast<W>(x[i * s]) * static_cast<W>(y[i * t]); });
  use([x, y, z, s, t, u](Index i) {
    return static_cast<W>(x[i * s]) * static_cast<W>(y[i * t]) * static_cast<W>(z[i * u]);
  });
}

template <class T>
Wide<T> dot(const Factors<T>& f, Index n) {
  Wide<T> total = 0;
  with_elements(f, [&](auto element) {
    Wide<T> sum = 0;
#pragma omp simd reduction(+ : sum)
    for (Index i = 0; i < n; ++i) sum += element(i);
    total = sum;
  });
  return total * f.constant;
}

template <class T>
void add_to(Wide<T>* __restrict sums, const Factors<T>& f, Index n) {
  with_elements(f, [&](auto element) {
    const Wide<T> constant = f.constant;
#pragma omp simd
    for (Index i = 0; i < n; ++i) sums[i] += constant * element(i);
  });
}

inline Offsets moved(Offsets at, const Loop& l, Index steps) {
  for (std::size_t o = 0; o < at.size(); ++o) at[o] += steps * l.stride[o];
  return at;
}

/// One stretch of the output: sums all its contributions, then stores them once.
template <class T>
void run_stretch(const Call& c, const VectorNest& nest, const Offsets& y, Index n, Wide<T> scale) noexcept {
  constexpr Index kStretch = 1024;
  for (Index first = 0; first < n; first += kStretch) {
    const Index length = std::min(kStretch, n - first);
    Wide<T> sums[kStretch];
    std::fill_n(sums, length, Wide<T>(0));
    const Offsets start = moved(y, nest.vector, first);
    for_each_turn(nest.rest, nest.over_sum(), start, false,
                  [&](const Offsets& at, bool) { add_to<T>(sums, Factors<T>(c, nest.vector, at), length); });
    for (Index i = 0; i < length; ++i) put<T>(c.tiles.back(), start[nest.rest.inputs()] + i, sums[i] * scale);
  }
}

}  // namespace contract

/// The contraction of `c`, multiplied by `scale`.
template <class T>
void contract_simd(const Call& c, double scale) noexcept {
  const VectorNest nest(Contraction(c.signature, c.tiles));
  const auto factor = static_cast<Wide<T>>(scale);
  const Index n = nest.vector.extent;
  for_each_turn(nest.rest, nest.over_output(), {}, false, [&](const Offsets& y, bool) {
    if (nest.along_output) return contract::run_stretch<T>(c, nest, y, n, factor);
    Wide<T> sum = 0;
    for_each_turn(nest.rest, nest.over_sum(), y, false, [&](const Offsets& at, bool) {
      sum += contract::dot<T>(contract::Factors<T>(c, nest.vector, at), n);
    });
    put<T>(c.tiles.back(), y[nest.rest.inputs()], sum * factor);
  });
}

}  // namespace pleiad
