#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace pleiad {

/// bfloat16 as stored; arithmetic happens in float. Conversion from float rounds to nearest even and keeps NaN.
struct Bf16 {
  std::uint16_t bits = 0;

  Bf16() = default;
  constexpr explicit Bf16(float f) noexcept {
    // Without branches, so that loops vectorise.
    const auto u = std::bit_cast<std::uint32_t>(f);
    const std::uint32_t rounded = u + 0x7fffu + ((u >> 16) & 1u), quiet = u | 0x400000u;
    const std::uint32_t nan = (u & 0x7fffffffu) > 0x7f800000u ? ~0u : 0u;
    bits = static_cast<std::uint16_t>(((quiet & nan) | (rounded & ~nan)) >> 16);
  }
  constexpr explicit operator float() const noexcept { return std::bit_cast<float>(std::uint32_t{bits} << 16); }
};

/// Element types of tensors. Class ids and counts are i32; the others hold numbers to compute with.
enum class DType : std::uint8_t { f32, f64, bf16, i32 };

constexpr std::size_t size_of(DType t) { return t == DType::f64 ? 8 : t == DType::bf16 ? 2 : 4; }
constexpr std::string_view name_of(DType t) {
  constexpr std::string_view names[] = {"fp32", "fp64", "bf16", "int32"};
  return names[static_cast<std::size_t>(t)];
}

template <class T>
inline constexpr DType dtype_of = DType::f32;
template <>
inline constexpr DType dtype_of<double> = DType::f64;
template <>
inline constexpr DType dtype_of<Bf16> = DType::bf16;
template <>
inline constexpr DType dtype_of<std::int32_t> = DType::i32;

/// The type that sums and transcendental functions of T are computed in.
template <class T>
struct WideOf {
  using type = T;
};
template <>
struct WideOf<Bf16> {
  using type = float;
};
template <class T>
using Wide = typename WideOf<T>::type;

constexpr DType wide_of(DType t) { return t == DType::bf16 ? DType::f32 : t; }

/// The only dtype switch in the project (with_stored adds i32 to it): calls f.template operator()<T>() for the storage
/// type of a numeric dtype.
template <class F>
decltype(auto) with_dtype(DType t, F&& f) {
  switch (t) {
    case DType::f64:
      return f.template operator()<double>();
    case DType::bf16:
      return f.template operator()<Bf16>();
    default:
      return f.template operator()<float>();
  }
}

/// The same for ops that also run on ids and counts.
template <class F>
decltype(auto) with_stored(DType t, F&& f) {
  return t == DType::i32 ? f.template operator()<std::int32_t>() : with_dtype(t, std::forward<F>(f));
}

}  // namespace pleiad
