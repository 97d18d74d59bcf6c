#include "apps/data/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>

namespace pleiad {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
  return text.substr(0, text.find_last_not_of(kBlank) + 1);
}

/// Cuts off what is before the first `separator`.
std::string_view take_until(std::string_view& rest, char separator) {
  const auto at = std::min(rest.find(separator), rest.size());
  const auto part = rest.substr(0, at);
  rest.remove_prefix(std::min(at + 1, rest.size()));
  return part;
}

std::optional<double> number_in(std::string_view cell) {
  if (cell.starts_with('+')) cell.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
  if (error != std::errc{} || end != cell.data() + cell.size() || !std::isfinite(number)) return {};
  return number;
}

char separator_of(std::string_view line) {
  for (const char c : {',', ';', '\t'})
    if (line.find(c) != std::string_view::npos) return c;
  return ',';
}

std::vector<std::string_view> cells_of(std::string_view line, char separator) {
  std::vector<std::string_view> cells;
  for (bool more = true; more;) {
    more = line.find(separator) != std::string_view::npos;
    cells.push_back(trimmed(take_until(line, separator)));
  }
  return cells;
}

/// Collects rows and checks that they fit together.
struct Table {
  std::string where;
  std::vector<double> numbers;
  std::size_t columns = 0, rows = 0, first_line = 0;

  void add(const std::vector<std::string_view>& cells, std::size_t line) {
    if (rows == 0) columns = cells.size(), first_line = line;
    if (cells.size() != columns)
      throw_bad_data(fmt::format("{}:{}", where, line),
                     fmt::format("has {} columns, line {} has {}", cells.size(), first_line, columns));
    for (std::size_t c = 0; c < columns; ++c) numbers.push_back(checked(cells[c], line, c + 1));
    ++rows;
  }

  double checked(std::string_view cell, std::size_t line, std::size_t column) const {
    if (const auto number = number_in(cell)) return *number;
    throw_bad_data(fmt::format("{}:{}", where, line),
                   cell.empty() ? fmt::format("column {} is empty", column)
                                : fmt::format("column {}: \"{}\" is not a number", column, cell.substr(0, 40)));
  }
};

bool is_header(const std::vector<std::string_view>& cells) {
  return std::ranges::any_of(cells, [](auto cell) { return !number_in(cell); });
}

RawArray to_array(Table table) {
  if (table.rows == 0) throw_bad_data(table.where, "holds no samples");
  RawArray array{
      table.where, NumberType::f64, {static_cast<Index>(table.rows), static_cast<Index>(table.columns)}, {}, 0};
  array.bytes.resize(table.numbers.size() * sizeof(double));
  std::memcpy(array.bytes.data(), table.numbers.data(), array.bytes.size());
  return array;
}

}  // namespace

RawArray parse_csv(const std::vector<std::byte>& contents, std::string where) {
  std::string_view rest(reinterpret_cast<const char*>(contents.data()), contents.size());
  if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);
  if (rest.find('\0') != std::string_view::npos)
    throw_bad_data(where, "is none of the kinds that can be read: IDX, CSV, npy, npz (plain or .gz)");
  Table table{std::move(where), {}};
  char separator = 0;
  for (std::size_t line = 1; !rest.empty(); ++line) {
    const auto text = trimmed(take_until(rest, '\n'));
    if (text.empty()) continue;
    const bool is_first = separator == 0;
    if (is_first) separator = separator_of(text);
    const auto cells = cells_of(text, separator);
    if (!is_first || !is_header(cells)) table.add(cells, line);
  }
  return to_array(std::move(table));
}

}  // namespace pleiad
