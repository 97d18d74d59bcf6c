#include <algorithm>
#include <cmath>

#include "perfmodels/store.hpp"

namespace pleiad {
namespace {

double median_of(std::vector<double>& x) {
  const auto middle = x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2);
  std::nth_element(x.begin(), middle, x.end());
  return x.size() % 2 == 1 ? *middle : (*middle + *std::max_element(x.begin(), middle)) / 2;
}

}  // namespace

KernelTime summary_of(std::vector<double> samples_us) {
  KernelTime t;
  t.samples = static_cast<int>(samples_us.size());
  t.median_us = median_of(samples_us);
  for (double& x : samples_us) x = std::abs(x - t.median_us);
  t.mad_us = median_of(samples_us);
  return t;
}

}  // namespace pleiad
