#include "apps/config/field.hpp"

#include <fmt/format.h>

#include <cmath>

namespace pleiad {
namespace {

/// Moves the alternative T of the value to `out`, if it is that.
template <class T>
bool read_exactly(const Value& value, T& out) {
  const auto* held = std::get_if<T>(&value);
  if (held) out = *held;
  return held != nullptr;
}

/// Reads text by a parser that returns an optional.
template <class T, class Parse>
bool read_text(const Value& value, T& out, Parse parse) {
  const auto* text = std::get_if<std::string>(&value);
  const auto parsed = text ? parse(*text) : std::optional<T>{};
  if (parsed) out = *parsed;
  return parsed.has_value();
}

std::optional<DType> parse_dtype(std::string_view text) {
  for (const DType t : {DType::f32, DType::f64, DType::bf16})
    if (text == name_of(t)) return t;
  return {};
}

bool is_auto(const Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text && *text == "auto";
}

/// TOML basic string.
std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      result += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    else
      result += c;
  }
  return result + "\"";
}

}  // namespace

bool read_value(const Value& value, bool& out) { return read_exactly(value, out); }
bool read_value(const Value& value, Index& out) { return read_exactly(value, out); }
bool read_value(const Value& value, std::string& out) { return read_exactly(value, out); }
bool read_value(const Value& value, std::vector<Index>& out) { return read_exactly(value, out); }
bool read_value(const Value& value, DType& out) { return read_text(value, out, parse_dtype); }
bool read_value(const Value& value, Duration& out) { return read_text(value, out, parse_duration); }
bool read_value(const Value& value, MemoryLimit& out) { return read_text(value, out, parse_memory); }

bool read_value(const Value& value, double& out) {
  Index integer = 0;
  double number = 0;
  if (read_exactly(value, integer))
    number = static_cast<double>(integer);
  else if (!read_exactly(value, number) || !std::isfinite(number))
    return false;
  out = number;
  return true;
}

bool read_value(const Value& value, Period& out) {
  Period period;
  if (!read_exactly(value, period.steps) && !read_value(value, period.time)) return false;
  out = period;
  return true;
}

bool read_value(const Value& value, Cpus& out) {
  Cpus cpus;
  if (!is_auto(value) && !read_exactly(value, cpus.count) && !read_text(value, cpus.cores, parse_core_list))
    return false;
  out = cpus;
  return true;
}

bool read_value(const Value& value, Tiles& out) {
  Tiles tiles;
  Index size = 0;
  if (read_exactly(value, size))
    tiles.sizes = {size};
  else if (!is_auto(value) && (!read_exactly(value, tiles.sizes) || tiles.sizes.empty()))
    return false;
  out = tiles;
  return true;
}

std::string to_toml(bool field) { return field ? "true" : "false"; }
std::string to_toml(Index field) { return fmt::format("{}", field); }
std::string to_toml(double field) {
  auto text = fmt::format("{}", field);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}
std::string to_toml(const std::string& field) { return quoted(field); }
std::string to_toml(const std::vector<Index>& field) { return fmt::format("[{}]", fmt::join(field, ", ")); }
std::string to_toml(DType field) { return quoted(name_of(field)); }
std::string to_toml(Duration field) { return quoted(to_text(field)); }
std::string to_toml(const Period& field) { return field.time.seconds > 0 ? to_toml(field.time) : to_toml(field.steps); }

std::string to_toml(const MemoryLimit& field) {
  if (field.bytes == 0) return fmt::format("\"{}%\"", field.share * 100);
  for (const auto& [suffix, size] : {std::pair{"G", Index{1} << 30}, {"M", Index{1} << 20}, {"K", Index{1} << 10}})
    if (field.bytes % size == 0) return fmt::format("\"{}{}\"", field.bytes / size, suffix);
  return fmt::format("\"{}B\"", field.bytes);
}

std::string to_toml(const Cpus& field) {
  if (!field.cores.empty()) return fmt::format("\"{}\"", fmt::join(field.cores, ","));
  return field.count > 0 ? to_toml(field.count) : "\"auto\"";
}

std::string to_toml(const Tiles& field) {
  if (field.sizes.empty()) return "\"auto\"";
  return field.sizes.size() == 1 ? to_toml(field.sizes[0]) : to_toml(field.sizes);
}

}  // namespace pleiad
