#include "codelets/ops/argmax.hpp"

#include "codelets/base/loops.hpp"
#include "codelets/gpu/sum_parts.hpp"

namespace pleiad {
namespace {

/// The first i < n for which found(i), else n.
template <class F>
Index first_of(Index n, F found) {
  Index i = 0;
  while (i < n && !found(i)) ++i;
  return i;
}

struct Argmax {
  template <class T>
  static void run(const Call& c) noexcept {
    using W = Wide<T>;
    const Index n = c[0].shape.back();
    W* const room = static_cast<W*>(scratch(static_cast<std::size_t>(n) * sizeof(W)));
    for (Index r = 0; r < c[1].size(); ++r) {
      const W* x = widened(c[0].as<const T>() + r * n, n, room);
      const W top = max_of<W>(n, [=](Index i) { return x[i]; });
      // max_of passes over NaNs.
      const bool nan = sum_of<W>(n, [=](Index i) { return x[i] != x[i] ? W(1) : W(0); }) > 0;
      const Index at = first_of(n, [=](Index i) { return nan ? x[i] != x[i] : x[i] == top; });
      put<std::int32_t>(c[1], r, static_cast<std::int32_t>(at));
    }
  }
};

struct ArgmaxRef {
  template <class T>
  static void run(const Call& c) noexcept {
    const Index n = c[0].shape.back();
    for (Index r = 0; r < c[1].size(); ++r) {
      Index top = 0;
      for (Index i = 1; i < n; ++i) {
        const auto x = get<T>(c[0], r * n + i), best = get<T>(c[0], r * n + top);
        if (x > best || (x != x && best == best)) top = i;
      }
      put<std::int32_t>(c[1], r, static_cast<std::int32_t>(top));
    }
  }
};

void launch(const Call& c, GpuQueue& q) {
  q.run("topk", c[0].dtype, grid_of_groups(groups_of_rows(c[1].size()), 256), c[0], c[0], c[1], c[1].size(),
        c[0].shape.back(), Index{1}, true, false, c[1].accumulate);
}

/// Short rows cost the lanes of the sums more than they save.
bool is_long(const Call& c) { return c[0].shape.back() >= 64; }

std::vector<Sample> samples() { return {{.inputs = {{7, 5}}}, {.inputs = {{3, 2, 83}}}}; }

}  // namespace

const Op argmax{.name = "argmax",
                .axes = "...V->...",
                .operands = {{{"x"}, {"ids", Element::index}}},
                .flops = 2,
                .impls = {{gpu_impl<launch>(), cpu_impl<Argmax>("simd", is_long), cpu_impl<ArgmaxRef>("ref")}},
                .samples = samples};

}  // namespace pleiad
