#pragma once
#include "codelets/kernel.hpp"

namespace pleiad {

/// Sum of the squares of n numbers, in double.
template <class T>
double squares(const T* x, Index n) noexcept {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (Index i = 0; i < n; ++i) {
    const double v = static_cast<double>(static_cast<Wide<T>>(x[i]));
    sum += v * v;
  }
  return sum;
}

}  // namespace pleiad
