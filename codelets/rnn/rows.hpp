#pragma once
#include <array>

#include "codelets/kernel.hpp"

// Rows of numbers in the wide type, and scratch memory in parts.

namespace pleiad {

/// Of that many elements.
template <class T>
constexpr std::size_t bytes_of(Index elements) {
  return static_cast<std::size_t>(elements) * sizeof(T);
}

/// n elements of a tile, from the i-th, as numbers of the wide type.
template <class T>
void get_row(const Tile& x, Index i, Index n, Wide<T>* values) noexcept {
  const T* from = x.as<const T>() + i;
#pragma omp simd
  for (Index j = 0; j < n; ++j) values[j] = static_cast<Wide<T>>(from[j]);
}
/// The other way; adds where the tile accumulates.
template <class T, class V>
void put_row(const Tile& y, Index i, Index n, const V* values) noexcept {
  Tile row = y;
  row.shape = {n};
  row.data = y.as<T>() + i;
  fill_elements<T>(row, [values](Index j) { return static_cast<Wide<T>>(values[j]); });
}
/// to = from, rounded.
template <class T>
void copy_row(Index n, const Wide<T>* from, T* to) noexcept {
#pragma omp simd
  for (Index j = 0; j < n; ++j) store(to[j], from[j]);
}
/// to += from.
template <class T>
void add_row(Index n, const T* from, Wide<T>* to) noexcept {
#pragma omp simd
  for (Index j = 0; j < n; ++j) to[j] += static_cast<Wide<T>>(from[j]);
}

/// Parts of the calling thread's scratch memory, each 64-byte aligned. The next use of scratch() ends their life.
template <std::size_t N>
std::array<void*, N> scratch_parts(const std::array<std::size_t, N>& bytes) noexcept {
  constexpr std::size_t kAlignment = 64;
  std::array<std::size_t, N> offset{};
  std::size_t total = 0;
  for (std::size_t i = 0; i < N; ++i) {
    offset[i] = total;
    total += (bytes[i] + kAlignment - 1) / kAlignment * kAlignment;
  }
  auto* memory = static_cast<std::byte*>(scratch(total));
  std::array<void*, N> parts{};
  for (std::size_t i = 0; i < N; ++i) parts[i] = memory + offset[i];
  return parts;
}

/// Scratch rows of these lengths.
template <class W, std::size_t N>
std::array<W*, N> rows(const Index (&lengths)[N]) noexcept {
  std::array<std::size_t, N> bytes{};
  for (std::size_t i = 0; i < N; ++i) bytes[i] = bytes_of<W>(lengths[i]);
  const auto parts = scratch_parts<N>(bytes);
  std::array<W*, N> all{};
  for (std::size_t i = 0; i < N; ++i) all[i] = static_cast<W*>(parts[i]);
  return all;
}

}  // namespace pleiad
