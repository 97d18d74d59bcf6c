#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "codelets/base/shape.hpp"

namespace pleiad {

/// Samples in memory: labelled ones, or the windows of a text, one after another.
struct Dataset {
  std::string name;
  Shape sample_shape;                // 28x28; of a text: the tokens of a window
  std::vector<float> features;       // [size, width], row-major; none of a text
  std::vector<std::int32_t> labels;  // [size], each in [0, classes); none of a text
  std::vector<std::int32_t> tokens;  // a text, each in [0, classes); the label of a token is the one after it
  Index classes = 0;
  std::uint64_t hash = 0;  // xxh3 of shape, features, labels and tokens

  bool is_text() const { return !tokens.empty(); }
  Index size() const { return static_cast<Index>(is_text() ? (tokens.size() - 1) / sample_shape[0] : labels.size()); }
  Index width() const { return sample_shape.volume(); }
  Index labels_per_sample() const { return is_text() ? width() : 1; }
};

/// Rows of a batch as networks take them.
struct Batch {
  std::vector<float> features;               // [rows, width]; none of a text
  std::vector<std::int32_t> tokens, labels;  // [rows, labels_per_sample]; tokens only of a text
};

/// `val` has the sample shape and classes of `train`.
struct DataSplit {
  Dataset train, val;
};

std::uint64_t hash_of(const Dataset& data);

/// Copies the samples with these numbers into the rows of a batch. Rows beyond the ids become zeros with label -1,
/// which a loss ignores.
void gather(const Dataset& data, std::span<const Index> ids, Index rows, Batch& batch);

/// The labelled samples with these numbers as a dataset of their own; its hash is not set.
Dataset select(const Dataset& data, std::span<const Index> ids);

}  // namespace pleiad
