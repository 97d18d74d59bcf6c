#pragma once
#include <algorithm>
#include <functional>
#include <limits>

#include "codelets/kernel.hpp"

// Loops over one row that vectorise.

namespace pleiad {

namespace loops {

/// Partial results side by side: a loop that adds to all of them does not wait for the addition before.
inline constexpr Index kLanes = 64;

/// lanes[j] = op(lanes[j], f(j)) ... over all i = j modulo kLanes.
template <class W, class F, class Op>
inline void collect(Index n, W* lanes, F f, Op op) noexcept {
  Index i = 0;
  for (; i + kLanes <= n; i += kLanes) {
#pragma omp simd
    for (Index j = 0; j < kLanes; ++j) lanes[j] = op(lanes[j], f(i + j));
  }
#pragma omp simd
  for (Index j = 0; j < n - i; ++j) lanes[j] = op(lanes[j], f(i + j));
}
/// A binary tree over 2 k lanes. (A `reduction` clause would go over them one after another.)
template <Index k, class W, class Op>
inline W join(W* lanes, Op op) noexcept {
  if constexpr (k == 0) {
    return lanes[0];
  } else {
#pragma omp simd
    for (Index j = 0; j < k; ++j) lanes[j] = op(lanes[j], lanes[j + k]);
    return join<k / 2>(lanes, op);
  }
}

}  // namespace loops

/// f(0) + ... + f(n - 1). The order of the additions depends on n alone.
template <class W, class F>
inline W sum_of(Index n, F f) noexcept {
  W lanes[loops::kLanes] = {};
  loops::collect(n, lanes, f, std::plus<W>());
  return loops::join<loops::kLanes / 2>(lanes, std::plus<W>());
}

/// The largest of f(0) ... f(n - 1); -inf if n is 0. NaNs are passed over.
template <class W, class F>
inline W max_of(Index n, F f) noexcept {
  const auto larger = [](W a, W b) { return b > a ? b : a; };
  W lanes[loops::kLanes];
  std::fill_n(lanes, loops::kLanes, -std::numeric_limits<W>::infinity());
  loops::collect(n, lanes, f, larger);
  return loops::join<loops::kLanes / 2>(lanes, larger);
}

/// y[i] = f(i), or y[i] += f(i), for i < n.
template <class T, class F>
inline void fill_row(T* y, Index n, bool accumulate, F f) noexcept {
  if (accumulate) {
#pragma omp simd
    for (Index i = 0; i < n; ++i) store(y[i], static_cast<Wide<T>>(y[i]) + f(i));
  } else {
#pragma omp simd
    for (Index i = 0; i < n; ++i) store(y[i], f(i));
  }
}

/// The row in the type that it is computed in: x itself, or a copy in `room` (n numbers) if it is stored in another.
template <class T>
inline const Wide<T>* widened(const T* x, Index n, [[maybe_unused]] Wide<T>* room) noexcept {
  if constexpr (std::is_same_v<T, Wide<T>>) {
    return x;
  } else {
#pragma omp simd
    for (Index i = 0; i < n; ++i) room[i] = static_cast<Wide<T>>(x[i]);
    return room;
  }
}

/// How a kernel sums: `ref` in plain loops and in double.
struct PlainSum {
  template <class W, class F>
  static W of(Index n, F f) noexcept {
    double s = 0;
    for (Index i = 0; i < n; ++i) s += static_cast<double>(f(i));
    return static_cast<W>(s);
  }
};
struct VectorSum {
  template <class W, class F>
  static W of(Index n, F f) noexcept {
    return sum_of<W>(n, f);
  }
};

}  // namespace pleiad
