#include "codelets/ops/topk.hpp"

#include <algorithm>

#include "codelets/gpu/sum_parts.hpp"
#include "codelets/kernel.hpp"

namespace pleiad {
namespace {

struct Topk {
  template <class T>
  static void run(const Call& c) noexcept {
    const Index n = c[0].shape.back(), k = c[1].shape.back();
    auto* const ids = static_cast<std::int32_t*>(scratch(static_cast<std::size_t>(k) * sizeof(std::int32_t)));
    for (Index r = 0; r < c[0].size() / n; ++r) {
      const T* x = c[0].as<const T>() + r * n;
      select(x, n, ids, k);
      for (Index i = 0; i < k; ++i) {
        put<T>(c[1], r * k + i, static_cast<Wide<T>>(x[ids[i]]));
        put<std::int32_t>(c[2], r * k + i, ids[i]);
      }
    }
  }

 private:
  template <class W>
  static bool larger(W a, W b) {
    return a > b || (a != a && b == b);
  }
  /// Keeps the places of the k largest so far in order. Most elements fail the first comparison.
  template <class T>
  static void select(const T* x, Index n, std::int32_t* ids, Index k) {
    const auto at = [x](Index i) { return static_cast<Wide<T>>(x[i]); };
    Index kept = 0;
    for (Index i = 0; i < n; ++i) {
      if (kept == k && !larger(at(i), at(ids[k - 1]))) continue;
      kept = std::min(kept + 1, k);
      Index place = kept - 1;
      for (; place > 0 && larger(at(i), at(ids[place - 1])); --place) ids[place] = ids[place - 1];
      ids[place] = static_cast<std::int32_t>(i);
    }
  }
};

void launch(const Call& c, GpuQueue& q) {
  const Index n = c[0].shape.back(), rows = c[0].size() / n;
  q.run("topk", c[0].dtype, grid_of_groups(groups_of_rows(rows), 256), c[0], c[1], c[2], rows, n, c[1].shape.back(),
        false, c[1].accumulate, c[2].accumulate);
}

Index chosen(char, std::span<const Shape> inputs, const Attrs& attrs) {
  const Index k = attrs.as<TopkAttrs>().k, n = inputs[0].back();
  if (k < 1 || k > n)
    throw ShapeError("topk: x has " + std::to_string(n) + " elements in its last axis, so k = " + std::to_string(k) +
                     " of them cannot be chosen");
  return k;
}

std::vector<Sample> samples() {
  return {{.inputs = {{7, 5}}, .attrs = Attrs::of(TopkAttrs{5})},
          {.inputs = {{3, 2, 83}}, .attrs = Attrs::of(TopkAttrs{4})}};
}

}  // namespace

const Op topk{.name = "topk",
              .axes = "...V->...K,...K",
              .operands = {{{"x"}, {"values"}, {"ids", Element::index}}},
              .over = "...V",
              .extent = chosen,
              .impls = {{gpu_impl<launch>(), cpu_impl<Topk>("ref")}},
              .samples = samples};

}  // namespace pleiad
