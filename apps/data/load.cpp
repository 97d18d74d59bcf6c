#include "apps/data/load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/data/array.hpp"
#include "apps/data/find.hpp"
#include "apps/data/normalize.hpp"
#include "apps/data/parts.hpp"
#include "apps/data/shuffle.hpp"
#include "apps/data/text.hpp"

namespace pleiad {
namespace {

constexpr Index kHoldoutStream = -1;  // never an epoch

DataSplit hold_out(const Dataset& data, double share, Index seed) {
  const auto count = static_cast<Index>(std::llround(static_cast<double>(data.size()) * share));
  if (count < 1 || count >= data.size())
    throw_bad_data(data.name, fmt::format("{} samples are too few to keep {} of them for testing (data.holdout)",
                                          data.size(), share));
  auto order = permutation(data.size(), seed, kHoldoutStream);
  const auto middle = order.begin() + count;
  std::sort(order.begin(), middle);
  std::sort(middle, order.end());
  return {select(data, {middle, order.end()}), select(data, {order.begin(), middle})};
}

Index largest_label(const Dataset& data) { return *std::ranges::max_element(data.labels); }

/// Classes are what the training labels show.
void settle_classes(DataSplit& split) {
  const auto classes = largest_label(split.train) + 1;
  if (classes > split.train.size() && classes > 2)
    throw_bad_data(split.train.name, fmt::format("label {} makes more classes than there are samples ({})\n"
                                                 "labels are class numbers 0, 1, 2 ...; see data.label",
                                                 classes - 1, split.train.size()));
  if (largest_label(split.val) >= classes)
    throw_bad_data(split.val.name, fmt::format("label {} does not occur in the training data, which has {} classes",
                                               largest_label(split.val), classes));
  split.train.classes = split.val.classes = classes;
}

void check_same_shape(const DataSplit& split) {
  if (split.train.sample_shape == split.val.sample_shape) return;
  throw_bad_data(split.val.name, fmt::format("test samples are {}, training samples {}",
                                             to_string(split.val.sample_shape), to_string(split.train.sample_shape)));
}

DataSplit open_split(const DataConfig& config, std::span<const std::filesystem::path> data_path, Index seed) {
  const bool label_first = config.label == "first";
  auto parts = open_parts(find_data(config.train, data_path), label_first);
  if (!config.val.empty()) {
    auto other = open_parts(find_data(config.val, data_path), label_first);
    return {std::move(parts.train), other.val ? std::move(*other.val) : std::move(other.train)};
  }
  if (parts.val) return {std::move(parts.train), std::move(*parts.val)};
  return hold_out(parts.train, config.holdout, seed);
}

DataSplit open_samples(const DataConfig& config, std::span<const std::filesystem::path> data_path, Index seed) {
  auto split = open_split(config, data_path, seed);
  check_same_shape(split);
  settle_classes(split);
  normalize(split, config.normalize);
  return split;
}

DataSplit open_text(const DataConfig& config, std::span<const std::filesystem::path> data_path, Index context) {
  if (config.val.empty()) return load_text(config.train, data_path, context, config.holdout);
  return load_text(config.train, config.val, data_path, context);
}

}  // namespace

DataSplit load_data(const DataConfig& config, std::span<const std::filesystem::path> data_path, Index seed,
                    Index context) {
  auto split = context > 0 ? open_text(config, data_path, context) : open_samples(config, data_path, seed);
  split.train.name = config.train;
  split.val.name = config.val.empty() ? config.train : config.val;
  split.train.hash = hash_of(split.train);
  split.val.hash = hash_of(split.val);
  return split;
}

}  // namespace pleiad
