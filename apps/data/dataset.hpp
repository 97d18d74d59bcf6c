#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "codelets/base/shape.hpp"

namespace pleiad {

/// Labelled samples in memory.
struct Dataset {
  std::string name;
  Shape sample_shape;                // 28x28
  std::vector<float> features;       // [size, width], row-major
  std::vector<std::int32_t> labels;  // [size], each in [0, classes)
  Index classes = 0;
  std::uint64_t hash = 0;  // xxh3 of shape, features and labels

  Index size() const { return static_cast<Index>(labels.size()); }
  Index width() const { return sample_shape.volume(); }
};

/// `val` has the sample shape and classes of `train`.
struct DataSplit {
  Dataset train, val;
};

std::uint64_t hash_of(const Dataset& data);

/// Copies the samples with these numbers into rows of `features` [rows, width] and `labels` [rows]. Rows beyond the ids
/// become zeros with label -1, which a loss ignores.
void gather(const Dataset& data, std::span<const Index> ids, Index rows, float* features, std::int32_t* labels);

/// The samples with these numbers as a dataset of their own; its hash is not set.
Dataset select(const Dataset& data, std::span<const Index> ids);

}  // namespace pleiad
