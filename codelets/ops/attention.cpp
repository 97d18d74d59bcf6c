#include "codelets/ops/attention.hpp"

#include <numbers>

#include "codelets/attention/flash.hpp"
#include "codelets/attention/shape.hpp"
#include "codelets/base/gpu_arguments.h"
#include "codelets/kernel.hpp"

namespace pleiad {
namespace {

bool nothing_seen(std::span<const Tile> t, const Attrs& attrs) {
  return attrs.as<AttentionAttrs>().causal && t[1].origin[1] >= t[0].origin[1] + t[0].shape[1];
}

/// Calls f(row of q, first row of k, keys that it sees) for every query.
template <class F>
void for_each_query(const AttentionShape& s, F f) {
  for_each_group(s, [&](Index b, Index g) {
    for (Index t = 0; t < s.queries; ++t)
      for (Index r = 0; r < s.heads; ++r) f(s.query_row(b, t, g, r), s.key_row(b, 0, g), s.visible(t));
  });
}

template <class T>
Wide<T> dot(const Tile& a, Index row_of_a, const Tile& b, Index row_of_b) {
  const Index n = a.shape.back();
  Wide<T> sum = 0;
  for (Index i = 0; i < n; ++i) sum += get<T>(a, row_of_a * n + i) * get<T>(b, row_of_b * n + i);
  return sum;
}

struct Forward {
  template <class T>
  static void run(const Call& c) noexcept {
    const AttentionShape s(c);
    auto* scores = static_cast<Wide<T>*>(scratch(static_cast<std::size_t>(s.keys) * sizeof(Wide<T>)));
    for_each_query(s, [&](Index query, Index key, Index seen) { run_query<T>(c, s, query, key, seen, scores); });
  }

 private:
  template <class T, class W = Wide<T>>
  static void run_query(const Call& c, const AttentionShape& s, Index query, Index key, Index seen, W* scores) {
    W top = -HUGE_VALF, sum = 0;
    for (Index j = 0; j < seen; ++j) {
      scores[j] = static_cast<W>(s.scale) * dot<T>(c[0], query, c[1], key + j * s.key_step());
      top = std::max(top, scores[j]);
    }
    for (Index j = 0; j < seen; ++j) sum += scores[j] = std::exp(scores[j] - top);
    W& lse = c[4].as<W>()[query];
    const Merge<W> merge(c[4].accumulate ? lse : -HUGE_VALF, seen == 0 ? top : top + std::log(sum));
    lse = merge.lse;
    for (Index d = 0; d < s.size; ++d) {
      W y = 0;
      for (Index j = 0; j < seen; ++j) y += scores[j] / sum * get<T>(c[2], (key + j * s.key_step()) * s.size + d);
      const Index at = query * s.size + d;
      const W before = merge.of_first == 0 ? W(0) : merge.of_first * get<T>(c[3], at);
      store(c[3].as<T>()[at], before + merge.of_second * y);
    }
  }
};

struct Backward {
  template <class T>
  static void run(const Call& c) noexcept {
    const AttentionShape s(c);
    const auto n = static_cast<std::size_t>(c[6].size() + c[7].size() + c[8].size());
    auto* dq = static_cast<Wide<T>*>(scratch(n * sizeof(Wide<T>)));
    std::fill_n(dq, n, Wide<T>(0));
    Wide<T>*dk = dq + c[6].size(), *dv = dk + c[7].size();
    for_each_query(s, [&](Index query, Index key, Index seen) {
      const auto delta = dot<T>(c[3], query, c[5], query);
      for (Index j = 0; j < seen; ++j) run_pair<T>(c, s, query, key + j * s.key_step(), delta, {dq, dk, dv});
    });
    for (Index i = 0; i < c[6].size(); ++i) put<T>(c[6], i, dq[i]);
    for (Index i = 0; i < c[7].size(); ++i) put<T>(c[7], i, dk[i]);
    for (Index i = 0; i < c[8].size(); ++i) put<T>(c[8], i, dv[i]);
  }

 private:
  /// Sums of dq, dk, dv.
  template <class W>
  using Sums = std::array<W*, 3>;

  template <class T, class W = Wide<T>>
  static void run_pair(const Call& c, const AttentionShape& s, Index query, Index key, W delta, const Sums<W>& sums) {
    const W scale = static_cast<W>(s.scale);
    const W weight = std::exp(scale * dot<T>(c[0], query, c[1], key) - c[4].as<const W>()[query]);
    const W dscore = scale * weight * (dot<T>(c[5], query, c[2], key) - delta);
    for (Index d = 0; d < s.size; ++d) {
      const Index q = query * s.size + d, k = key * s.size + d;
      sums[0][q] += dscore * get<T>(c[1], k);
      sums[1][k] += dscore * get<T>(c[0], q);
      sums[2][k] += weight * get<T>(c[5], q);
    }
  }
};

struct Combine {
  template <class T>
  static void run(const Call& c) noexcept {
    const Index size = c[0].shape.back();
    for (Index r = 0; r < c[1].size(); ++r) {
      const Merge<Wide<T>> m(c[1].as<const Wide<T>>()[r], c[3].as<const Wide<T>>()[r]);
      Tile y = c[4];
      y.data = c[4].as<T>() + r * size;
      y.shape = {size};
      const T *a = c[0].as<const T>() + r * size, *b = c[2].as<const T>() + r * size;
      fill_elements<T>(y, [=](Index d) {
        return m.of_first * static_cast<Wide<T>>(a[d]) + m.of_second * static_cast<Wide<T>>(b[d]);
      });
      put<Wide<T>>(c[5], r, m.lse);
    }
  }
};

/// Sums of the kernels' items have room for so many channels.
bool fits_gpu(const Call& c) { return c[0].shape.back() <= 256; }

GpuAttention gpu_shape(const AttentionShape& s) {
  return {.batch = s.batch,
          .queries = s.queries,
          .groups = s.groups,
          .heads = s.heads,
          .size = s.size,
          .keys = s.keys,
          .ahead = s.ahead};
}
/// A group for each tile of n rows of each of `heads` heads.
GpuGrid grid_of_tiles(DType dtype, Index n, Index heads) {
  const Index tile = dtype == DType::f64 ? 32 : 64;
  return {{(n + tile - 1) / tile, heads, 1}, {16, 16, 1}};
}

void launch(const Call& c, GpuQueue& q) {
  const AttentionShape s(c);
  const GpuGrid grid = grid_of_tiles(c[0].dtype, s.queries, s.batch * s.groups * s.heads);
  q.run("attention", c[0].dtype, grid, c[0], c[1], c[2], c[3], c[4], gpu_shape(s), s.scale, c[4].accumulate);
}

void launch_grad(const Call& c, GpuQueue& q) {
  const AttentionShape s(c);
  const GpuAttention shape = gpu_shape(s);
  const DType dtype = c[0].dtype;
  const Index rows = c[4].size();
  const GpuMemory delta = q.scratch(static_cast<std::size_t>(rows) * size_of(wide_of(dtype)));
  q.run("attention_delta", dtype, grid_of_elements(rows), c[3], c[5], delta, rows, s.size);
  q.run("attention_dq", dtype, grid_of_tiles(dtype, s.queries, s.batch * s.groups * s.heads), c[0], c[1], c[2], c[4],
        c[5], delta, c[6], shape, s.scale, c[6].accumulate);
  for (std::size_t i : {7, 8})
    q.run("attention_dkv", dtype, grid_of_tiles(dtype, s.keys, s.batch * s.groups), c[0], c[1], c[2], c[4], c[5], delta,
          c[i], shape, s.scale, i == 8, c[i].accumulate);
}

void launch_combine(const Call& c, GpuQueue& q) {
  const Index rows = c[1].size();
  q.run("attention_combine", c[0].dtype, grid_of_elements(rows), c[0], c[1], c[2], c[3], c[4], c[5], rows,
        row_length(c[0]), c[4].accumulate, c[5].accumulate);
}

void gradient(Grad& g) {
  const auto d = g.call(attention_grad, {g.x(0), g.x(1), g.x(2), g.y(0), g.y(1), g.dy()}, g.attrs());
  for (int i = 0; i < 3; ++i) g.dx(i, d[static_cast<std::size_t>(i)]);
}

Attrs attrs_of(bool causal, double scale = 0) { return Attrs::of(AttentionAttrs{.causal = causal, .scale = scale}); }

std::vector<Sample> samples() {
  return {{.inputs = {{2, 9, 2, 1, 3}, {2, 9, 2, 3}, {2, 9, 2, 3}}, .attrs = attrs_of(true)},
          {.inputs = {{1, 70, 1, 1, 1}, {1, 70, 1, 1}, {1, 70, 1, 1}}, .attrs = attrs_of(true)},
          {.inputs = {{1, 2, 1, 1, 1}, {1, 260, 1, 1}, {1, 260, 1, 1}}, .attrs = attrs_of(false)},
          {.inputs = {{1, 5, 1, 3, 4}, {1, 7, 1, 4}, {1, 7, 1, 4}}, .attrs = attrs_of(false, 0.3)},
          {.inputs = {{1, 1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}}, .attrs = attrs_of(true)}};
}
/// Log-sum-exps that are large enough for any scores of the sample.
std::vector<Sample> grad_samples() {
  std::vector<Sample> all;
  for (const Sample& s : samples()) {
    const Shape &q = s.inputs[0], lse{q[0], q[1], q[2], q[3]};
    all.push_back({.inputs = {q, s.inputs[1], s.inputs[2], q, lse, q},
                   .attrs = s.attrs,
                   .domains = {Domain::normal, Domain::normal, Domain::normal, Domain::normal, Domain::positive}});
  }
  return all;
}
std::vector<Sample> combine_samples() { return {{.inputs = {{3, 2, 5}, {3, 2}, {3, 2, 5}, {3, 2}}}}; }

}  // namespace

const Op attention{.name = "attention",
                   .axes = "btgrD,bsgD,bsgD->btgrD,btgr",
                   .operands = {{{"q"}, {"k"}, {"v"}, {"y"}, {"lse", Element::wide}}},
                   .flops = 4,
                   .combine = &attention_combine,
                   .empty = nothing_seen,
                   .grad = gradient,
                   .impls = {{gpu_impl<launch>("portable", fits_gpu),
                              {.name = "simd", .run = run_flash_forward},
                              cpu_impl<Forward>("ref")}},
                   .samples = samples};
const Op attention_grad{
    .name = "attention_grad",
    .axes = "btgrD,bsgD,bsgD,btgrD,btgr,btgrD->btgrD,bsgD,bsgD",
    .operands = {{{"q"}, {"k"}, {"v"}, {"y"}, {"lse", Element::wide}, {"dy"}, {"dq"}, {"dk"}, {"dv"}}},
    .flops = 10,
    .empty = nothing_seen,
    .impls = {{gpu_impl<launch_grad>("portable", fits_gpu),
               {.name = "simd", .run = run_flash_backward},
               cpu_impl<Backward>("ref")}},
    .samples = grad_samples};
const Op attention_combine{
    .name = "attention_combine",
    .axes = "...D,...,...D,...->...D,...",
    .operands = {{{"y1"}, {"lse1", Element::wide}, {"y2"}, {"lse2", Element::wide}, {"y"}, {"lse", Element::wide}}},
    .flops = 3,
    .impls = {{gpu_impl<launch_combine>(), cpu_impl<Combine>("ref")}},
    .samples = combine_samples};

}  // namespace pleiad
