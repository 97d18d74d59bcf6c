#include "apps/data/normalize.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace pleiad {
namespace {

/// x -> (x - offset) * factor for each feature.
struct Scaling {
  std::vector<double> offset, factor;
};

Scaling by_max(const Dataset& data) {
  double largest = 0;
  for (const float x : data.features) largest = std::max(largest, std::abs(double{x}));
  const auto width = static_cast<std::size_t>(data.width());
  return {std::vector<double>(width), std::vector<double>(width, largest > 0 ? 1 / largest : 1)};
}

Scaling by_deviation(const Dataset& data) {
  const auto width = static_cast<std::size_t>(data.width());
  const auto n = static_cast<double>(data.size());
  std::vector<double> mean(width), squares(width);
  for (std::size_t i = 0; i < data.features.size(); ++i) mean[i % width] += data.features[i] / n;
  for (std::size_t i = 0; i < data.features.size(); ++i) {
    const double d = data.features[i] - mean[i % width];
    squares[i % width] += d * d / n;
  }
  for (double& s : squares) s = s > 1e-20 ? 1 / std::sqrt(s) : 1;
  return {std::move(mean), std::move(squares)};
}

void apply(const Scaling& scaling, Dataset& data) {
  const auto width = scaling.offset.size();
  for (std::size_t i = 0; i < data.features.size(); ++i)
    data.features[i] = static_cast<float>((data.features[i] - scaling.offset[i % width]) * scaling.factor[i % width]);
}

}  // namespace

void normalize(DataSplit& split, std::string_view method) {
  if (method == "none") return;
  const auto scaling = method == "max" ? by_max(split.train) : by_deviation(split.train);
  apply(scaling, split.train);
  apply(scaling, split.val);
}

}  // namespace pleiad
