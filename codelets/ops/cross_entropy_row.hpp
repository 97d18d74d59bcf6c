#pragma once
#include <cmath>

#include "codelets/base/loops.hpp"

// The cross-entropy of one row of logits, and its gradient.

namespace pleiad {

/// Ends the process if a class id is too large for the logits of `op`; negative ones mean "ignore".
inline void check_class_id(const char* op, Index id, Index classes) noexcept {
  if (id >= classes)
    fatal(std::string(op) + ": class id " + std::to_string(id) + ", but there are " + std::to_string(classes) +
          " classes");
}

/// Loss of one row of n logits. Leaves in e, which may be x itself, what cross_entropy_gradient needs; `sum` too.
template <class M, class T>
double cross_entropy_loss(const T* x, Index n, Index id, Wide<T>* e, Wide<T>& sum) noexcept {
  using W = Wide<T>;
  // Below the largest logit, so that no exponential overflows.
  const W top = max_of<W>(n, [=](Index i) { return static_cast<W>(x[i]); }), below_top = top - static_cast<W>(x[id]);
#pragma omp simd
  for (Index i = 0; i < n; ++i) e[i] = M::exp(static_cast<W>(x[i]) - top);
  sum = sum_of<W>(n, [=](Index i) { return e[i]; });
  return static_cast<double>(std::log(sum) + below_top);
}

/// dx = weight * (softmax(x) - one at id), or added; dx may be e itself.
template <class T>
void cross_entropy_gradient(const Wide<T>* e, Wide<T> sum, Index id, Wide<T> weight, T* dx, Index n,
                            bool accumulate) noexcept {
  const Wide<T> scale = weight / sum;
  fill_row(dx, n, accumulate, [=](Index i) { return e[i] * scale - (i == id ? weight : Wide<T>(0)); });
}

}  // namespace pleiad
