#pragma once
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "values.hpp"

namespace pleiad::testing {

/// A file of tests/data, which a script beside it made.
inline nlohmann::json reference_data(const std::string& name) {
  std::ifstream file(std::filesystem::path(PLEIAD_TESTS_DATA) / name);
  return nlohmann::json::parse(file);
}

/// A vector of numbers as a tensor of rank 1.
inline Values values_of(const nlohmann::json& numbers, DType dtype = DType::f64) {
  Values v(dtype, {static_cast<Index>(numbers.size())});
  for (Index i = 0; i < v.size(); ++i) v.set(i, numbers[static_cast<std::size_t>(i)].get<double>());
  return v;
}

}  // namespace pleiad::testing
