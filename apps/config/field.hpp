#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/config/config.hpp"
#include "apps/config/value.hpp"

namespace pleiad {

/// Each type of config field converts from a Value (false, and `out` untouched, if the value does not fit) and to TOML
/// text that reads back equal; `expected_of` names what fits.
bool read_value(const Value& value, bool& out);
bool read_value(const Value& value, Index& out);
bool read_value(const Value& value, double& out);
bool read_value(const Value& value, std::string& out);
bool read_value(const Value& value, std::vector<Index>& out);
bool read_value(const Value& value, DType& out);
bool read_value(const Value& value, Duration& out);
bool read_value(const Value& value, Period& out);
bool read_value(const Value& value, MemoryLimit& out);
bool read_value(const Value& value, Cpus& out);
bool read_value(const Value& value, Tiles& out);

std::string to_toml(bool field);
std::string to_toml(Index field);
std::string to_toml(double field);
std::string to_toml(const std::string& field);
std::string to_toml(const std::vector<Index>& field);
std::string to_toml(DType field);
std::string to_toml(Duration field);
std::string to_toml(const Period& field);
std::string to_toml(const MemoryLimit& field);
std::string to_toml(const Cpus& field);
std::string to_toml(const Tiles& field);

template <class T>
bool read_value(const Value& value, std::optional<T>& out) {
  const auto* text = std::get_if<std::string>(&value);
  if (text && *text == "auto") return out.reset(), true;
  T field{};
  if (!read_value(value, field)) return false;
  out = field;
  return true;
}
template <class T>
std::string to_toml(const std::optional<T>& field) {
  return field ? to_toml(*field) : "\"auto\"";
}

template <class T>
inline constexpr std::string_view expected_of = "";
template <>
inline constexpr std::string_view expected_of<bool> = "true or false";
template <>
inline constexpr std::string_view expected_of<Index> = "a whole number";
template <>
inline constexpr std::string_view expected_of<double> = "a number";
template <>
inline constexpr std::string_view expected_of<std::string> = "text";
template <>
inline constexpr std::string_view expected_of<std::vector<Index>> = "a list of whole numbers";
template <>
inline constexpr std::string_view expected_of<DType> = "fp32 | fp64 | bf16";
template <>
inline constexpr std::string_view expected_of<Duration> = "a time such as \"60s\" or \"30m\"";
template <>
inline constexpr std::string_view expected_of<Period> = "a time such as \"30m\", or a number of steps";
template <>
inline constexpr std::string_view expected_of<MemoryLimit> = "a size such as \"8G\", or a share such as \"80%\"";
template <>
inline constexpr std::string_view expected_of<Cpus> = "\"auto\", a number, or cores such as \"0-15\"";
template <>
inline constexpr std::string_view expected_of<Tiles> = "\"auto\", a number, or a list such as [100, 28]";
template <>
inline constexpr std::string_view expected_of<std::optional<Index>> = "\"auto\", or a number";
template <>
inline constexpr std::string_view expected_of<std::optional<Duration>> = "\"auto\", or a time such as \"300us\"";
template <>
inline constexpr std::string_view expected_of<std::optional<Period>> =
    "\"auto\", a time such as \"10s\", or a number of steps";

}  // namespace pleiad
