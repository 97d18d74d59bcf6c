#pragma once
#include <utility>

#include "codelets/kernel.hpp"

namespace pleiad {
namespace kernel {

/// The type a call is dispatched on.
inline DType compute_type(const Call& c) {
  for (const Tile& t : c.tiles)
    if (t.dtype != DType::i32) return t.dtype;
  return DType::f32;
}

template <class K>
void dispatch(const Call& c) noexcept {
  with_dtype(compute_type(c), [&]<class T>() { K::template run<T>(c); });
}

template <class F, class M>
struct Map {
  template <class T>
  static void run(const Call& c) noexcept {
    apply<T>(c, arity<Wide<T>>());
  }

 private:
  template <class T>
  static constexpr auto arity() {
    if constexpr (requires(T x) { F::template f<M>(x); })
      return std::make_index_sequence<1>();
    else if constexpr (requires(T x) { F::template f<M>(x, x); })
      return std::make_index_sequence<2>();
    else
      return std::make_index_sequence<3>();
  }
  template <class T, std::size_t... I>
  static void apply(const Call& c, std::index_sequence<I...>) noexcept {
    const std::array<const T*, sizeof...(I)> x{c[I].template as<const T>()...};
    fill_elements<T>(c[sizeof...(I)], [x](Index i) { return F::template f<M>(static_cast<Wide<T>>(x[I][i])...); });
  }
};

}  // namespace kernel

template <class K>
constexpr Impl cpu_impl(const char* name, bool (*fits)(const Call&)) {
  return {.device = Device::cpu, .name = name, .run = &kernel::dispatch<K>, .fits = fits};
}

template <class T>
inline Wide<T> get(const Tile& t, Index i) {
  return static_cast<Wide<T>>(t.as<const T>()[i]);
}

template <class T>
inline void store(T& y, Wide<T> x) {
  if constexpr (std::is_same_v<T, Bf16>)
    y.bits = Bf16(x).bits;
  else
    y = x;
}

template <class T>
inline void put(const Tile& t, Index i, Wide<T> x) {
  T& y = t.as<T>()[i];
  store(y, t.accumulate ? static_cast<Wide<T>>(y) + x : x);
}

inline void clear_unless_accumulating(const Tile& t) noexcept {
  if (!t.accumulate) std::memset(t.data, 0, t.bytes());
}

inline Index row_length(const Tile& t) noexcept { return t.shape.empty() ? 1 : t.shape.back(); }

template <class T, class F>
inline void fill_elements(const Tile& t, F f) noexcept {
  T* const y = t.as<T>();
  const Index n = t.size();
  if (t.accumulate) {
#pragma omp simd
    for (Index i = 0; i < n; ++i) store(y[i], static_cast<Wide<T>>(y[i]) + f(i));
  } else {
#pragma omp simd
    for (Index i = 0; i < n; ++i) store(y[i], f(i));
  }
}

template <class F, gpu::Name name>
constexpr Impls map_impls() {
  constexpr Impl simd = cpu_impl<kernel::Map<F, VectorMath>>("simd"), ref = cpu_impl<kernel::Map<F, StdMath>>("ref");
  if constexpr (name.empty())
    return {simd, ref};
  else
    return {gpu_elements<name>(), simd, ref};
}

template <class F, gpu::Name name>
constexpr Impls map_ref() {
  constexpr Impl ref = cpu_impl<kernel::Map<F, StdMath>>("ref");
  if constexpr (name.empty())
    return {ref};
  else
    return {gpu_elements<name>(), ref};
}

}  // namespace pleiad
