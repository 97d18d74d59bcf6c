#pragma once
#include <bit>
#include <cstdint>
#include <experimental/simd>

#include "codelets/base/shape.hpp"

// Explicit vectors, for kernels that must keep their sums in registers.

namespace pleiad {

/// The widest vector of the CPU that kernels are compiled for.
template <class W>
using Vector = std::experimental::native_simd<W>;
template <class W>
inline constexpr Index kLanes = static_cast<Index>(Vector<W>::size());

template <class W>
inline Vector<W> load_vector(const W* p) {
  return Vector<W>(p, std::experimental::element_aligned);
}
template <class W>
inline void store_vector(W* p, const Vector<W>& x) {
  x.copy_to(p, std::experimental::element_aligned);
}

/// 2^x for x <= 100, within 2 ulp; 0 below -126 (so for -inf), NaN for NaN. Cephes polynomial (Moshier, exp2f).
inline Vector<float> exp2_of(const Vector<float>& x) {
  using Bits = std::experimental::rebind_simd_t<std::int32_t, Vector<float>>;
  const Vector<float> kRound = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer, which the low bits then hold
  const Vector<float> shifted = x + kRound, r = x - (shifted - kRound);
  Vector<float> p = 1.535336188319500e-4f;
  p = p * r + 1.339887440266574e-3f;
  p = p * r + 9.618437357674640e-3f;
  p = p * r + 5.550332471162809e-2f;
  p = p * r + 2.402264791363012e-1f;
  p = p * r + 6.931472028550421e-1f;
  p = p * r + 1.0f;
  auto y = std::bit_cast<Vector<float>>(std::bit_cast<Bits>(p) + (std::bit_cast<Bits>(shifted) << 23));
  where(x < -126.0f, y) = 0.0f;
  return y;
}
inline Vector<double> exp2_of(const Vector<double>& x) { return std::experimental::exp2(x); }

}  // namespace pleiad
