#pragma once
#include <limits>

#include "codelets/attention/shape.hpp"
#include "codelets/blas/product_strip.hpp"
#include "codelets/kernel.hpp"

// Scratch of the vectorised kernels: rows of heads as contiguous matrices of the computing type, padded with zeros to
// whole strips and vectors.

namespace pleiad {

/// Queries and keys of a block of scores.
inline constexpr Index kQueryBlock = 64, kKeyBlock = 256;

constexpr Index rounded_up(Index n, Index unit) { return (n + unit - 1) / unit * unit; }

/// A row of scores: a block of keys and a vector of zeros. Not a power of two, which the caches would not like.
template <class W>
inline constexpr Index kScoreRow = kKeyBlock + kLanes<W>;

/// Parts of one piece of scratch, one for each size.
template <class W, std::size_t N>
std::array<W*, N> scratch_arrays(const std::array<Index, N>& sizes) noexcept {
  constexpr Index kUnit = 64 / sizeof(W);
  Index total = 0;
  for (Index n : sizes) total += rounded_up(n, kUnit);
  std::array<W*, N> arrays;
  W* next = static_cast<W*>(scratch(static_cast<std::size_t>(total) * sizeof(W)));
  for (std::size_t i = 0; i < N; next += rounded_up(sizes[i++], kUnit)) arrays[i] = next;
  return arrays;
}

/// Length of a row of transposed keys: whole panels, and not a power of two.
template <class W>
Index padded_keys(const AttentionShape& s) {
  return rounded_up(s.keys, 2 * kLanes<W>) + kLanes<W>;
}

/// The rows of one head, `step` numbers apart.
template <class T>
struct HeadRows {
  T* data;
  Index step, size;
};
template <class T>
HeadRows<T> query_rows(const AttentionShape& s, const Tile& t, Index row) {
  return {t.as<T>() + row * s.size, s.query_step() * s.size, s.size};
}
template <class T>
HeadRows<T> key_rows(const AttentionShape& s, const Tile& t, Index b, Index g) {
  return {t.as<T>() + s.key_row(b, 0, g) * s.size, s.key_step() * s.size, s.size};
}

/// to = from times `factor`, and zeros up to `width`. In whole vectors as far as possible.
template <class T, class W>
inline void pack_row(const T* from, Index size, W factor, W* to, Index width) {
  Index d = 0;
  for (; d + kLanes<W> <= size; d += kLanes<W>) {
#pragma omp simd
    for (Index l = 0; l < kLanes<W>; ++l) to[d + l] = static_cast<W>(from[d + l]) * factor;
  }
  for (; d < size; ++d) to[d] = static_cast<W>(from[d]) * factor;
  for (; d < width; ++d) to[d] = 0;
}
/// `padded` rows, the first n those of x times `factor`.
template <class T, class W>
void pack_rows(const HeadRows<const T>& x, Index n, W factor, const Strided<W>& rows, Index padded) {
  for (Index i = 0; i < n; ++i) pack_row(x.data + i * x.step, x.size, factor, rows.data + i * rows.row, rows.row);
  std::fill(rows.data + n * rows.row, rows.data + padded * rows.row, W(0));
}

/// Row d of `columns` is column d of the n rows; zeros after them.
template <class W>
void transpose(const Strided<W>& rows, Index n, Index size, const Strided<W>& columns) {
  const Index whole = n / kLanes<W> * kLanes<W>;
  for (Index i = 0; i < whole; i += kLanes<W>)
    for (Index d = 0; d < size; ++d) {
      const W* from = rows.data + i * rows.row + d;
      store_vector(columns.data + d * columns.row + i, Vector<W>([=](auto j) { return from[j * rows.row]; }));
    }
  for (Index d = 0; d < size; ++d) {
    W* to = columns.data + d * columns.row;
    for (Index i = whole; i < n; ++i) to[i] = rows.data[i * rows.row + d];
    std::fill(to + n, to + columns.row, W(0));
  }
}

/// A block of scores: the queries and the keys from `first` on that it covers.
struct ScoreBlock {
  Index query, queries, key, keys;
};

/// Calls f(block) for the blocks of scores that the queries from `query` on see something of.
template <class F>
void for_each_key_block(const AttentionShape& s, Index query, F f) {
  const Index queries = std::min(kQueryBlock, s.queries - query), seen = s.visible(query + queries - 1);
  for (Index key = 0; key < seen; key += kKeyBlock) f(ScoreBlock{query, queries, key, std::min(kKeyBlock, seen - key)});
}

/// How many keys of the block a query sees; rows count from the first query of the block.
inline Index seen_by_row(const AttentionShape& s, const ScoreBlock& b, Index row) {
  return std::clamp<Index>(s.visible(b.query + row) - b.key, 0, b.keys);
}

/// -inf for the scores from `seen` up to `width`, a multiple of kLanes.
template <class W>
inline void hide_unseen(W* scores, Index seen, Index width) {
  const Vector<W> number([](auto lane) { return static_cast<W>(lane); });
  for (Index j = seen / kLanes<W> * kLanes<W>; j < width; j += kLanes<W>) {
    Vector<W> x = load_vector(scores + j);
    where(number >= static_cast<W>(seen - j), x) = -std::numeric_limits<W>::infinity();
    store_vector(scores + j, x);
  }
}

/// scores = rows columns, in whole vectors, where some query of a strip sees some key of the vector.
template <class W>
void multiply_seen(const AttentionShape& s, const ScoreBlock& b, const Strided<W>& rows, const Strided<W>& columns,
                   const Strided<W>& scores) {
  for (Index key = 0; key < b.keys; key += 2 * kLanes<W>)
    for (Index strip = 0; strip < b.queries; strip += kStripRows) {
      const Index seen = seen_by_row(s, b, strip + kStripRows - 1) - key;
      if (seen > 0)
        product_strip<W>(rows.at(strip, 0), columns.at(0, b.key + key), scores.at(strip, key),
                         seen > kLanes<W> ? 2 * kLanes<W> : kLanes<W>, s.size, false);
    }
}

}  // namespace pleiad
