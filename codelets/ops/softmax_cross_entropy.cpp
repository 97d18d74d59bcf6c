#include "codelets/ops/softmax_cross_entropy.hpp"

#include <algorithm>
#include <cmath>

#include "codelets/kernel.hpp"
#include "codelets/ops/scale_by.hpp"

namespace pleiad {
namespace {

/// The largest of n logits, so that no exponential overflows.
template <class T>
Wide<T> top_of(const T* x, Index n) {
  Wide<T> top = static_cast<Wide<T>>(x[0]);
#pragma omp simd reduction(max : top)
  for (Index i = 0; i < n; ++i) top = std::max(top, static_cast<Wide<T>>(x[i]));
  return top;
}

template <class M>
struct CrossEntropy {
  template <class T>
  static void run(const Call& c) noexcept {
    const Index rows = c[1].size(), n = c[0].shape.back();
    const auto* ids = c[1].as<const std::int32_t>();
    const double weight = 1.0 / std::max(1, *c[2].as<const std::int32_t>());
    double loss = 0;
    for (Index r = 0; r < rows; ++r) {
      Tile dx = c[4];
      dx.shape = {n};
      dx.data = c[4].as<T>() + r * n;
      if (ids[r] >= n) fatal_id(ids[r], n);
      if (ids[r] < 0)
        fill_elements<T>(dx, [](Index) { return Wide<T>(0); });
      else
        loss += run_row<T>(c[0].as<const T>() + r * n, ids[r], static_cast<Wide<T>>(weight), dx);
    }
    put<Wide<T>>(c[3], 0, static_cast<Wide<T>>(loss * weight));
  }

 private:
  /// Loss of one row; dx = weight * (softmax(x) - one at id).
  template <class T>
  static double run_row(const T* x, Index id, Wide<T> weight, const Tile& dx) noexcept {
    using W = Wide<T>;
    const Index n = dx.size();
    const W top = top_of(x, n);
    W* e = static_cast<W*>(scratch(static_cast<std::size_t>(n) * sizeof(W)));
    W sum = 0;
#pragma omp simd reduction(+ : sum)
    for (Index i = 0; i < n; ++i) sum += e[i] = M::exp(static_cast<W>(x[i]) - top);
    const W scale = weight / sum;
    fill_elements<T>(dx, [=](Index i) { return e[i] * scale - (i == id ? weight : W(0)); });
    return static_cast<double>(std::log(sum) + (top - static_cast<W>(x[id])));
  }

  [[noreturn]] static void fatal_id(Index id, Index classes) noexcept {
    fatal("softmax_cross_entropy: class id " + std::to_string(id) + ", but there are " + std::to_string(classes) +
          " classes");
  }
};

void gradient(Grad& g) { g.dx(0, g.unit_dy() ? g.y(1) : g.call(scale_by, {g.y(1), g.dy()})[0]); }

std::vector<Sample> samples() {
  const std::vector<Domain> domains{Domain::normal, Domain::ids, Domain::positive};
  return {{.inputs = {{7, 5}, {7}, {}}, .domains = domains}, {.inputs = {{3, 2, 33}, {3, 2}, {}}, .domains = domains}};
}

}  // namespace

const Op softmax_cross_entropy{
    .name = "softmax_cross_entropy",
    .axes = "...V,...,->,...V",
    .operands =
        {{{"logits"}, {"ids", Element::index}, {"count", Element::index}, {"loss", Element::wide}, {"dlogits"}}},
    .flops = 24,
    .grad = gradient,
    .impls = {{cpu_impl<CrossEntropy<VectorMath>>("simd"), cpu_impl<CrossEntropy<StdMath>>("ref")}},
    .samples = samples};

}  // namespace pleiad
