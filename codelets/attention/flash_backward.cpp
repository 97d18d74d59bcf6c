#include <numbers>

#include "codelets/attention/flash.hpp"
#include "codelets/attention/packing.hpp"

namespace pleiad {
namespace {

/// Operands of attention_grad.
enum : std::size_t { kQ, kK, kV, kY, kLse, kDy, kDq, kDk, kDv };

/// Works in W on one group of heads at a time. Scores are kept in powers of two, so q is too.
template <class W>
class FlashBackward {
 public:
  explicit FlashBackward(const AttentionShape& s)
      : s_(s), width_(rounded_up(s.size, kLanes<W>)), key_rows_(rounded_up(s.keys, kStripRows)) {
    const Index block = kQueryBlock * width_, scores = kQueryBlock * kScoreRow<W>;
    const Index columns = s.size * padded_keys<W>(s), rows = key_rows_ * width_;
    const auto a = scratch_arrays<W, 10>({block, block, block, scores, scores, columns, columns, rows, rows, rows});
    q_ = {a[0], width_};
    dy_ = {a[1], width_};
    dq_ = {a[2], width_};
    weights_ = {a[3], kScoreRow<W>};
    dscores_ = {a[4], kScoreRow<W>};
    k_columns_ = {a[5], padded_keys<W>(s)};
    v_columns_ = {a[6], padded_keys<W>(s)};
    k_ = {a[7], width_};
    dk_ = {a[8], width_};
    dv_ = {a[9], width_};
  }

  template <class T>
  void run(const Call& c) {
    for_each_group(s_, [&](Index b, Index g) {
      pack_keys<T>(c, b, g);
      for (Index r = 0; r < s_.heads; ++r)
        for (Index t = 0; t < s_.queries; t += kQueryBlock) run_block<T>(c, t, s_.query_row(b, t, g, r));
      put_rows<T>(dk_, s_.keys, std::numbers::ln2_v<W>, c[kDk], s_.key_row(b, 0, g), s_.key_step());
      put_rows<T>(dv_, s_.keys, W(1), c[kDv], s_.key_row(b, 0, g), s_.key_step());
    });
  }

 private:
  template <class T>
  void pack_keys(const Call& c, Index b, Index g) {
    pack_rows(key_rows<const T>(s_, c[kV], b, g), s_.keys, W(1), k_, key_rows_);
    transpose(k_, s_.keys, s_.size, v_columns_);
    pack_rows(key_rows<const T>(s_, c[kK], b, g), s_.keys, W(1), k_, key_rows_);
    transpose(k_, s_.keys, s_.size, k_columns_);
    std::fill_n(dk_.data, key_rows_ * width_, W(0));
    std::fill_n(dv_.data, key_rows_ * width_, W(0));
  }

  /// A block of queries of one head, the first of which is row `row` of q.
  template <class T>
  void run_block(const Call& c, Index query, Index row) {
    const Index n = std::min(kQueryBlock, s_.queries - query), padded = rounded_up(n, kStripRows);
    const auto to_powers_of_two = static_cast<W>(s_.scale * std::numbers::log2e);
    pack_rows(query_rows<const T>(s_, c[kQ], row), n, to_powers_of_two, q_, padded);
    pack_rows(query_rows<const T>(s_, c[kDy], row), n, W(1), dy_, padded);
    find_lse_and_delta<T>(c, row, n);
    std::fill_n(dq_.data, padded * width_, W(0));
    for_each_key_block(s_, query, [&](const ScoreBlock& b) { add_keys(b); });
    put_rows<T>(dq_, n, static_cast<W>(s_.scale), c[kDq], row, s_.query_step());
  }

  /// delta = dy . y, the part of the gradient of the scores that all keys share.
  template <class T>
  void find_lse_and_delta(const Call& c, Index row, Index n) {
    lse_.fill(0);
    delta_.fill(0);
    for (Index i = 0; i < n; ++i) {
      const Index at = row + i * s_.query_step();
      const T *y = c[kY].as<const T>() + at * s_.size, *dy = c[kDy].as<const T>() + at * s_.size;
      W sum = 0;
#pragma omp simd reduction(+ : sum)
      for (Index d = 0; d < s_.size; ++d) sum += static_cast<W>(y[d]) * static_cast<W>(dy[d]);
      delta_[static_cast<std::size_t>(i)] = sum;
      lse_[static_cast<std::size_t>(i)] = c[kLse].as<const W>()[at] * std::numbers::log2e_v<W>;
    }
  }

  void add_keys(const ScoreBlock& b) {
    multiply_seen<W>(s_, b, q_, k_columns_, weights_);
    multiply_seen<W>(s_, b, dy_, v_columns_, dscores_);
    for (Index strip = 0; strip < b.queries; strip += kStripRows) {
      const Index seen = seen_by_row(s_, b, strip + kStripRows - 1);
      for (Index i = strip; i < strip + kStripRows; ++i)
        differentiate_row(static_cast<std::size_t>(i), seen_by_row(s_, b, i), rounded_up(seen, kLanes<W>));
      product_strip<W>(dscores_.at(strip, 0), k_.at(b.key, 0), dq_.at(strip, 0), width_, seen, true);
    }
    for (Index key = 0; key < b.keys; key += kStripRows) add_queries(b, key);
  }

  /// Turns the first `seen` scores of a row into weights and their gradients, and the others into zeros up to a vector
  /// past `width`: strips of keys reach that far.
  void differentiate_row(std::size_t i, Index seen, Index width) {
    W* w = weights_.data + static_cast<Index>(i) * weights_.row;
    W* d = dscores_.data + static_cast<Index>(i) * dscores_.row;
    hide_unseen(w, seen, width);
    const Vector<W> lse = lse_[i], delta = delta_[i];
    for (Index j = 0; j < width; j += kLanes<W>) {
      const Vector<W> e = exp2_of(load_vector(w + j) - lse);
      store_vector(w + j, e);
      store_vector(d + j, e * (load_vector(d + j) - delta));
    }
    store_vector(w + width, Vector<W>(W(0)));
    store_vector(d + width, Vector<W>(W(0)));
  }

  /// What the queries of the block add to a strip of dk and dv: from the first query on that sees some of its keys.
  void add_queries(const ScoreBlock& b, Index key) {
    const Index blind = std::clamp<Index>(b.key + key + 1 - s_.ahead - b.query, 0, b.queries), n = b.queries - blind;
    const Strided<W> w = weights_.at(blind, key).transposed(), d = dscores_.at(blind, key).transposed();
    product_strip<W>(w, dy_.at(blind, 0), dv_.at(b.key + key, 0), width_, n, true);
    product_strip<W>(d, q_.at(blind, 0), dk_.at(b.key + key, 0), width_, n, true);
  }

  template <class T>
  void put_rows(const Strided<W>& sums, Index n, W factor, const Tile& tile, Index row, Index step) {
    for (Index i = 0; i < n; ++i) {
      Tile y = tile;
      y.data = tile.as<T>() + (row + i * step) * s_.size;
      y.shape = {s_.size};
      const W* x = sums.data + i * sums.row;
      fill_elements<T>(y, [=](Index d) { return x[d] * factor; });
    }
  }

  const AttentionShape& s_;
  Index width_, key_rows_;  // extents of rows of heads in scratch
  Strided<W> q_, dy_, dq_, weights_, dscores_, k_columns_, v_columns_, k_, dk_, dv_;
  std::array<W, kQueryBlock> lse_, delta_;  // by query of the block; lse in powers of two
};

struct Kernel {
  template <class T>
  static void run(const Call& c) noexcept {
    const AttentionShape s(c);
    FlashBackward<Wide<T>>(s).template run<T>(c);
  }
};

}  // namespace

void run_flash_backward(const Call& c) noexcept { kernel::dispatch<Kernel>(c); }

}  // namespace pleiad
