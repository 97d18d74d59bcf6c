#include <numbers>

#include "codelets/attention/flash.hpp"
#include "codelets/attention/packing.hpp"

namespace pleiad {
namespace {

/// Works in W on one head at a time. Scores are kept in powers of two.
template <class W>
class FlashForward {
 public:
  explicit FlashForward(const AttentionShape& s) : s_(s), width_(rounded_up(s.size, kLanes<W>)) {
    const Index key_row = padded_keys<W>(s);
    const auto [q, k, v, scores, y] = scratch_arrays<W, 5>(
        {kQueryBlock * width_, s.size * key_row, s.keys * width_, kQueryBlock * kScoreRow<W>, kQueryBlock * width_});
    q_ = {q, width_};
    k_ = {k, key_row};
    v_ = {v, width_};
    scores_ = {scores, kScoreRow<W>};
    y_ = {y, width_};
  }

  template <class T>
  void run(const Call& c) {
    for_each_group(s_, [&](Index b, Index g) {
      pack_rows(key_rows<const T>(s_, c[1], b, g), s_.keys, W(1), v_, s_.keys);
      transpose(v_, s_.keys, s_.size, k_);
      pack_rows(key_rows<const T>(s_, c[2], b, g), s_.keys, W(1), v_, s_.keys);
      for (Index r = 0; r < s_.heads; ++r)
        for (Index t = 0; t < s_.queries; t += kQueryBlock) run_block<T>(c, t, s_.query_row(b, t, g, r));
    });
  }

 private:
  /// A block of queries of one head, the first of which is row `row` of q.
  template <class T>
  void run_block(const Call& c, Index query, Index row) {
    const Index n = std::min(kQueryBlock, s_.queries - query);
    const auto to_powers_of_two = static_cast<W>(s_.scale * std::numbers::log2e);
    pack_rows(query_rows<const T>(s_, c[0], row), n, to_powers_of_two, q_, rounded_up(n, kStripRows));
    top_.fill(-kInfinity);
    sum_.fill(0);
    std::fill_n(y_.data, kQueryBlock * width_, W(0));
    for_each_key_block(s_, query, [&](const ScoreBlock& b) { add_keys(b); });
    for (Index i = 0; i < n; ++i) put_row<T>(c, row + i * s_.query_step(), static_cast<std::size_t>(i));
  }

  void add_keys(const ScoreBlock& b) {
    multiply_seen<W>(s_, b, q_, k_, scores_);
    for (Index strip = 0; strip < b.queries; strip += kStripRows) {
      const Index seen = seen_by_row(s_, b, strip + kStripRows - 1);
      for (Index i = strip; i < strip + kStripRows; ++i)
        weigh_row(static_cast<std::size_t>(i), seen_by_row(s_, b, i), rounded_up(seen, kLanes<W>));
      product_strip<W>(scores_.at(strip, 0), v_.at(b.key, 0), y_.at(strip, 0), width_, seen, true);
    }
  }

  /// Turns the first `seen` scores of a row into weights, and the others up to `width` into zeros.
  void weigh_row(std::size_t i, Index seen, Index width) {
    W* x = scores_.data + static_cast<Index>(i) * scores_.row;
    std::fill(x + seen, x + width, -kInfinity);
    Vector<W> highest = -kInfinity, sum = 0;
    for (Index j = 0; j < width; j += kLanes<W>) highest = max(highest, load_vector(x + j));
    const W before = top_[i], top = std::max(before, hmax(highest)), base = top == -kInfinity ? W(0) : top;
    for (Index j = 0; j < width; j += kLanes<W>) {
      const Vector<W> e = exp2_of(load_vector(x + j) - base);
      store_vector(x + j, e);
      sum += e;
    }
    const W kept = std::exp2(before - base);
    top_[i] = top;
    sum_[i] = sum_[i] * kept + reduce(sum);
    if (before != top && before != -kInfinity) scale_row(i, kept);
  }

  void scale_row(std::size_t i, W factor) {
    W* y = y_.data + static_cast<Index>(i) * width_;
    for (Index d = 0; d < width_; d += kLanes<W>) store_vector(y + d, load_vector(y + d) * factor);
  }

  template <class T>
  void put_row(const Call& c, Index row, std::size_t i) {
    W& lse = c[4].as<W>()[row];
    const W here = (top_[i] + std::log2(sum_[i])) * std::numbers::ln2_v<W>;
    const Merge<W> merge(c[4].accumulate ? lse : -kInfinity, here);
    lse = merge.lse;
    const W before = merge.of_first, factor = sum_[i] == 0 ? W(0) : merge.of_second / sum_[i];
    T* y = c[3].as<T>() + row * s_.size;
    const W* sums = y_.data + static_cast<Index>(i) * width_;
#pragma omp simd
    for (Index d = 0; d < s_.size; ++d) {
      const W kept = before == 0 ? W(0) : before * static_cast<W>(y[d]);  // it may never have been written
      store(y[d], kept + factor * sums[d]);
    }
  }

  static constexpr W kInfinity = std::numeric_limits<W>::infinity();

  const AttentionShape& s_;
  Index width_;  // of rows in scratch
  Strided<W> q_, k_, v_, scores_, y_;
  std::array<W, kQueryBlock> top_, sum_;  // largest score and sum of weights so far, by query of the block
};

struct Kernel {
  template <class T>
  static void run(const Call& c) noexcept {
    const AttentionShape s(c);
    FlashForward<Wide<T>>(s).template run<T>(c);
  }
};

}  // namespace

void run_flash_forward(const Call& c) noexcept { kernel::dispatch<Kernel>(c); }

}  // namespace pleiad
