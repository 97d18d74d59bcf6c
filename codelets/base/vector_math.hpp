#pragma once
#include <bit>
#include <cmath>
#include <cstdint>

namespace pleiad {

/// exp for loops under `omp simd`, within 2 ulp; inf, 0 and NaN as std::exp gives them, results below 2^-126 flushed to
/// 0. Cody-Waite reduction and the Cephes polynomial (Moshier, Cephes Math Library, expf).
inline float fast_exp(float x) {
  const float clamped = x < -87.33654f ? -87.33654f : (x > 88.72283f ? 88.72283f : x);
  constexpr float kRound = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer
  const float shifted = clamped * 1.44269504f + kRound;
  const float n = shifted - kRound;
  const float r = (clamped - n * 0.693359375f) + n * 2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  // 2^n in two factors, so that n = 128 does not overflow before the product.
  const auto k = static_cast<std::int32_t>(n);
  const std::int32_t half = k >> 1;
  const float a = std::bit_cast<float>((half + 127) << 23), b = std::bit_cast<float>((k - half + 127) << 23);
  const float y = p * a * b;
  const float low = x < -87.33654f ? 0.0f : y;
  const float high = x > 88.72283f ? HUGE_VALF : low;
  return x != x ? x : high;
}
inline double fast_exp(double x) { return std::exp(x); }

/// tanh(x) for loops under `omp simd`, within 4 ulp. Cephes: a polynomial near 0, else by exp.
inline float fast_tanh(float x) {
  const float a = std::fabs(x), z = x * x;
  float p = -5.70498872745e-3f;
  p = p * z + 2.06390887954e-2f;
  p = p * z - 5.37397155531e-2f;
  p = p * z + 1.33314422036e-1f;
  p = p * z - 3.33332819422e-1f;
  const float near = p * z * a + a;
  const float bounded = a > 10.0f ? 10.0f : a;
  const float far = 1.0f - 2.0f / (fast_exp(2.0f * bounded) + 1.0f);
  const float y = std::copysign(a < 0.625f ? near : far, x);
  return x != x ? x : y;
}
inline double fast_tanh(double x) { return std::tanh(x); }

/// 1 / (1 + exp(-x)).
inline float fast_sigmoid(float x) { return 1.0f / (1.0f + fast_exp(-x)); }
inline double fast_sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }

/// log(1 + x) for x in [0, 1], within 2 ulp even where x is tiny: 2 atanh(s), s = x / (2 + x) <= 1/3, by its series.
inline float fast_log1p_of_fraction(float x) {
  const float s = x / (2.0f + x), z = s * s;
  float p = 1.0f / 15;
  for (int k = 13; k > 0; k -= 2) p = p * z + 1.0f / static_cast<float>(k);
  return 2.0f * s * p;
}
inline double fast_log1p_of_fraction(double x) { return std::log1p(x); }

/// Mathematics of `simd` kernels. In double, and where the hardware has the function, the same as StdMath.
struct VectorMath {
  template <class T>
  static T exp(T x) {
    return fast_exp(x);
  }
  template <class T>
  static T tanh(T x) {
    return fast_tanh(x);
  }
  template <class T>
  static T sigmoid(T x) {
    return fast_sigmoid(x);
  }
  template <class T>
  static T log1p_of_fraction(T x) {
    return fast_log1p_of_fraction(x);
  }
};

/// Mathematics of `ref` kernels.
struct StdMath {
  template <class T>
  static T exp(T x) {
    return std::exp(x);
  }
  template <class T>
  static T tanh(T x) {
    return std::tanh(x);
  }
  template <class T>
  static T sigmoid(T x) {
    return T(1) / (T(1) + std::exp(-x));
  }
  template <class T>
  static T log1p_of_fraction(T x) {
    return std::log1p(x);
  }
};

}  // namespace pleiad
