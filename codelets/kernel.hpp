#pragma once
#include "codelets/op.hpp"

// What kernels share: dtype dispatch, element-wise loops, accumulation, scratch memory.

namespace pleiad {

/// An implementation whose kernel is K::run<T>(call), T the storage type of the first operand that is not ids.
template <class K> constexpr Impl cpu_impl(const char* name, bool (*fits)(const Call&) = nullptr);

/// Stores x, or adds it when the tile accumulates.
template <class T> inline void put(const Tile& t, Index i, Wide<T> x);

/// Overwrites with zero unless the tile accumulates: the start of a kernel that adds its contributions one by one.
inline void clear_unless_accumulating(const Tile& t) noexcept;

/// Memory of the calling thread for one kernel call, 64-byte aligned, grown once and kept; contents undefined.
void* scratch(std::size_t bytes) noexcept;

/// y = F::f(x...) element by element; F: `template <class T> static T f(T...)`. Implementations `simd`, `ref`.
template <class F> constexpr std::array<Impl, 6> map_impls();

}  // namespace pleiad

#include "codelets/kernel_inl.hpp"
