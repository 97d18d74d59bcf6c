#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "apps/data/array.hpp"

namespace pleiad {

/// A table of numbers as a [rows, columns] array of f64. Columns are separated by a comma, semicolon or tab; a first
/// line that is not all numbers is a header and skipped; empty lines too. Error (data) with line and column for
/// anything that is not a finite number or a row of another length.
RawArray parse_csv(const std::vector<std::byte>& contents, std::string where);

}  // namespace pleiad
