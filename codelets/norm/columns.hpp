#pragma once
#include <algorithm>

#include "codelets/base/loops.hpp"

// Statistics of, and arithmetic with, the channels of arrays whose last dimension is the channel.

namespace pleiad {

/// How loops go over rows of `channels` neighbouring elements: several rows at a time where they are short.
struct Columns {
  Index channels;
  Index period;  // a multiple of `channels`; one pass of the inner loop
  Index block;   // a multiple of `period`; what is gone over several times while it is in the first-level cache

  explicit Columns(Index of_channels)
      : channels(of_channels),
        period(channels * std::max<Index>(1, kPeriod / channels)),
        block(period * std::max<Index>(4, kBlock / period)) {}

  /// Room for one number a position of the inner loop.
  std::size_t room() const { return static_cast<std::size_t>(period); }
  /// Repeats the numbers of the channels up to the period.
  template <class W>
  void repeat(W* of_channels) const noexcept {
    for (Index j = channels; j < period; ++j) of_channels[j] = of_channels[j - channels];
  }
  /// y[i] = f(i, j), or y[i] += f(i, j), j = i modulo the period, for i < n.
  template <class T, class F>
  void fill(T* y, Index n, bool accumulate, F f) const noexcept {
    for (Index at = 0; at < n; at += period)
      fill_row(y + at, std::min(period, n - at), accumulate, [=](Index j) { return f(at + j, j); });
  }
  /// sums[j] = sum of f(i, j) over i < n with j = i modulo the number of channels, then repeated.
  template <class W, class F>
  void sum(Index n, W* sums, F f) const noexcept {
    std::fill_n(sums, period, W(0));
    for (Index at = 0; at < n; at += period) {
      const Index width = std::min(period, n - at);
#pragma omp simd
      for (Index j = 0; j < width; ++j) sums[j] += f(at + j, j);
    }
    for (Index from = channels; from < period; from += channels) {
#pragma omp simd
      for (Index j = 0; j < channels; ++j) sums[j] += sums[from + j];
    }
    repeat(sums);
  }

 private:
  static constexpr Index kPeriod = 256, kBlock = 4096;
};

/// Hands out parts of the thread's scratch memory.
class Rooms {
 public:
  explicit Rooms(std::size_t bytes) : next_(static_cast<std::byte*>(scratch(bytes))) {}
  template <class W>
  W* take(std::size_t n) {
    W* const room = reinterpret_cast<W*>(next_);
    next_ += n * sizeof(W);
    return room;
  }

 private:
  std::byte* next_;
};

/// Number of rows seen, and mean and sum of squared deviations of each channel over them.
struct Moments {
  double count;
  double *mean, *square;

  /// Takes in rows of their own mean and squared deviations (Chan et al. 1979).
  template <class W>
  void merge(Index channels, double rows, const W* other_mean, const W* other_square) noexcept {
    const double total = count + rows, share = rows / total, weight = count * share;
#pragma omp simd
    for (Index c = 0; c < channels; ++c) {
      const double delta = static_cast<double>(other_mean[c]) - mean[c];
      mean[c] += delta * share;
      square[c] += static_cast<double>(other_square[c]) + delta * delta * weight;
    }
    count = total;
  }
};

/// Takes n elements of x into the moments, block by block. mean, square: columns.room() each.
template <class T>
void add_rows(const Columns& columns, const T* x, Index n, Moments& moments, Wide<T>* mean, Wide<T>* square) noexcept {
  using W = Wide<T>;
  for (Index at = 0; at < n; at += columns.block) {
    const Index size = std::min(columns.block, n - at);
    const T* part = x + at;
    const Index rows = size / columns.channels;
    columns.sum(size, mean, [=](Index i, Index) { return static_cast<W>(part[i]); });
    for (Index j = 0; j < columns.period; ++j) mean[j] /= static_cast<W>(rows);
    columns.sum(size, square, [=](Index i, Index j) {
      const W d = static_cast<W>(part[i]) - mean[j];
      return d * d;
    });
    moments.merge(columns.channels, static_cast<double>(rows), mean, square);
  }
}

/// Adds to by_channel[0...] the sums over n elements of dz(i, j), and after these those of dz(i, j) (x_i - mean_j).
/// mean: repeated up to the period; room: columns.room().
template <class T, class F>
void add_gradients(const Columns& columns, const T* x, Index n, const Wide<T>* mean, F dz, double* by_channel,
                   Wide<T>* room) noexcept {
  using W = Wide<T>;
  const auto add = [&](double* sums) {
    for (Index k = 0; k < columns.channels; ++k) sums[k] += static_cast<double>(room[k]);
  };
  for (Index at = 0; at < n; at += columns.block) {
    const Index size = std::min(columns.block, n - at);
    columns.sum(size, room, [=](Index i, Index j) { return dz(at + i, j); });
    add(by_channel);
    columns.sum(size, room, [=](Index i, Index j) { return dz(at + i, j) * (static_cast<W>(x[at + i]) - mean[j]); });
    add(by_channel + columns.channels);
  }
}

}  // namespace pleiad
