#include <numbers>

#include "codelets/attention/flash.hpp"
#include "codelets/attention/packing.hpp"
#include "codelets/base/loops.hpp"

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
      const Index seen = seen_by_row(s_, b, strip + kStripRows - 1), width = rounded_up(seen, kLanes<W>);
      std::array<W, kStripRows> top;  // all of them first: each takes a while, but they do not wait for each other
      for (Index i = 0; i < kStripRows; ++i)
        top[static_cast<std::size_t>(i)] = highest(row(strip + i), seen_by_row(s_, b, strip + i), width);
      for (Index i = 0; i < kStripRows; ++i) weigh_row(strip + i, width, top[static_cast<std::size_t>(i)]);
      product_strip<W>(scores_.at(strip, 0), v_.at(b.key, 0), y_.at(strip, 0), width_, seen, true);
    }
  }
  W* row(Index i) const { return scores_.data + i * scores_.row; }

  /// Of the first `seen` scores of a row; the others up to `width` become -inf.
  static W highest(W* scores, Index seen, Index width) {
    hide_unseen(scores, seen, width);
    Vector<W> top = -kInfinity;
    for (Index j = 0; j < width; j += kLanes<W>) top = max(top, load_vector(scores + j));
    return hmax(top);
  }

  /// Turns scores, of which `here` is the highest, into weights.
  void weigh_row(Index i, Index width, W here) {
    W &top = top_[static_cast<std::size_t>(i)], &sum = sum_[static_cast<std::size_t>(i)];
    const W before = top;
    top = std::max(before, here);
    const W base = top == -kInfinity ? W(0) : top;
    Vector<W> weights = 0;
    for (Index j = 0; j < width; j += kLanes<W>) {
      const Vector<W> e = exp2_of(load_vector(row(i) + j) - base);
      store_vector(row(i) + j, e);
      weights += e;
    }
    if (before != top && before != -kInfinity) {
      const W kept = std::exp2(before - base);
      sum *= kept;
      scale_row(i, kept);
    }
    sum += reduce(weights);
  }

  void scale_row(Index i, W factor) {
    W* y = y_.data + i * width_;
    for (Index d = 0; d < width_; d += kLanes<W>) store_vector(y + d, load_vector(y + d) * factor);
  }

  template <class T>
  void put_row(const Call& c, Index row, std::size_t i) {
    W& lse = c[4].as<W>()[row];
    W kept = 0, factor = sum_[i] == 0 ? W(0) : 1 / sum_[i];
    const W here = top_[i] * std::numbers::ln2_v<W> + std::log(sum_[i]);
    if (c[4].accumulate) {
      const Merge<W> merge(lse, here);
      kept = merge.of_first;
      factor *= merge.of_second;
      lse = merge.lse;
    } else {
      lse = here;
    }
    const W* sums = y_.data + static_cast<Index>(i) * width_;
    T* y = c[3].as<T>() + row * s_.size;
    if (kept == 0)  // y may never have been written
      fill_row(y, s_.size, false, [=](Index d) { return factor * sums[d]; });
    else
      fill_row(y, s_.size, false, [=](Index d) { return kept * static_cast<W>(y[d]) + factor * sums[d]; });
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
