#pragma once
#include <string_view>

#include "apps/data/dataset.hpp"

namespace pleiad {

/// Scales both parts by what the training part shows. Methods: none; max (largest absolute value becomes 1); standard
/// (each feature gets mean 0 and deviation 1; one that is constant only loses its mean).
void normalize(DataSplit& split, std::string_view method);

}  // namespace pleiad
