#pragma once
#include "codelets/base/vector_math.hpp"
#include "codelets/gpu/kernel.hpp"
#include "codelets/op.hpp"

// What kernels share: dtype dispatch, element-wise loops, accumulation, scratch memory.

namespace pleiad {

/// An implementation whose kernel is K::run<T>(call), T the storage type of the first operand that is not ids.
template <class K>
constexpr Impl cpu_impl(const char* name, bool (*fits)(const Call&) = nullptr);

/// The i-th element in the type that T is computed in.
template <class T>
inline Wide<T> get(const Tile& t, Index i);
/// y = x, rounded. Use it in loops: GCC does not vectorise those that assign a Bf16.
template <class T>
inline void store(T& y, Wide<T> x);
/// Stores x, or adds it when the tile accumulates.
template <class T>
inline void put(const Tile& t, Index i, Wide<T> x);

/// Overwrites with zero unless the tile accumulates: the start of a kernel that adds its contributions one by one.
inline void clear_unless_accumulating(const Tile& t) noexcept;

/// Length of a run of neighbouring elements: the extent of the last dimension, 1 for a scalar.
inline Index row_length(const Tile& t) noexcept;

/// Memory of the calling thread for one kernel call, 64-byte aligned, grown once and kept; contents undefined. The next
/// call on the thread hands out the same memory again.
void* scratch(std::size_t bytes) noexcept;

/// y[i] = f(i) for every element of tile y, or y[i] += f(i) when it accumulates; f returns Wide<T>. Vectorised, so f
/// must be free of calls that are not inlined.
template <class T, class F>
inline void fill_elements(const Tile& y, F f) noexcept;

/// y = F::f(x...) element by element, where F is `template <class M, class T> static T f(T...)`, T float or double, M
/// the mathematics to use: VectorMath in `simd`, StdMath in `ref`. On GPUs: KERNEL(name)(x..., y, n, accumulate);
/// "": none.
template <class F, gpu::Name name = "">
constexpr Impls map_impls();
/// The same without `simd`, for an F that is plain arithmetic: the compiler vectorises that as it stands.
template <class F, gpu::Name name = "">
constexpr Impls map_ref();

}  // namespace pleiad

#include "codelets/kernel_inl.hpp"
