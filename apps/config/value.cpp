#include "apps/config/value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>

namespace pleiad {
namespace {

template <class T>
std::optional<T> parse_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return {};
  return number;
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::optional<std::vector<Index>> parse_list(std::string_view text) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return {};
  text = trimmed(text.substr(1, text.size() - 2));
  std::vector<Index> list;
  while (!text.empty()) {
    const auto comma = std::min(text.find(','), text.size());
    const auto item = parse_number<Index>(trimmed(text.substr(0, comma)));
    if (!item) return {};
    list.push_back(*item);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return list;
}

struct Scale {
  std::string_view suffix;
  double factor;
};

/// A non-negative number followed by one of the suffixes; the suffix must be there.
std::optional<double> parse_scaled(std::string_view text, std::span<const Scale> scales) {
  const auto digits = std::min(text.find_first_not_of("0123456789.eE+-"), text.size());
  const auto number = parse_number<double>(text.substr(0, digits));
  const auto suffix = trimmed(text.substr(digits));
  const auto scale = std::ranges::find(scales, suffix, &Scale::suffix);
  if (!number || scale == scales.end() || !std::isfinite(*number) || *number < 0) return {};
  return *number * scale->factor;
}

}  // namespace

Value value_of_flag(std::string_view text) {
  if (text == "true" || text == "false") return text == "true";
  if (const auto integer = parse_number<Index>(text)) return *integer;
  if (const auto number = parse_number<double>(text)) return *number;
  if (auto list = parse_list(text)) return *std::move(list);
  const bool quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return std::string(quoted ? text.substr(1, text.size() - 2) : text);
}

std::string describe(const Value& value) {
  struct Describe {
    std::string operator()(bool v) const { return v ? "true" : "false"; }
    std::string operator()(Index v) const { return fmt::format("{}", v); }
    std::string operator()(double v) const { return fmt::format("{}", v); }
    std::string operator()(const std::string& v) const { return fmt::format("\"{}\"", v); }
    std::string operator()(const std::vector<Index>& v) const { return fmt::format("[{}]", fmt::join(v, ", ")); }
    std::string operator()(const Unusable& v) const { return v.description; }
  };
  return std::visit(Describe{}, value);
}

std::optional<Duration> parse_duration(std::string_view text) {
  static constexpr auto kUnits =
      std::to_array<Scale>({{"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}});
  const auto seconds = parse_scaled(text, kUnits);
  if (!seconds) return {};
  return Duration{*seconds};
}

std::string to_text(Duration duration) {
  for (const Scale& unit : {Scale{"h", 3600}, Scale{"m", 60}, Scale{"s", 1}, Scale{"ms", 1e-3}, Scale{"us", 1e-6}}) {
    const double number = duration.seconds / unit.factor;
    auto text = fmt::format("{:.0f}{}", number, unit.suffix);
    if (number >= (unit.suffix == "m" ? 2 : 1) && parse_duration(text) == duration) return text;
  }
  return fmt::format("{}s", duration.seconds);
}

std::optional<MemoryLimit> parse_memory(std::string_view text) {
  static constexpr double k = 1024;
  static constexpr auto kUnits = std::to_array<Scale>({{"B", 1},
                                                       {"K", k},
                                                       {"KB", k},
                                                       {"KiB", k},
                                                       {"M", k * k},
                                                       {"MB", k * k},
                                                       {"MiB", k * k},
                                                       {"G", k * k * k},
                                                       {"GB", k * k * k},
                                                       {"GiB", k * k * k},
                                                       {"T", k * k * k * k},
                                                       {"TB", k * k * k * k},
                                                       {"TiB", k * k * k * k}});
  static constexpr auto kPercent = std::to_array<Scale>({{"%", 0.01}});
  if (const auto share = parse_scaled(text, kPercent); share && *share > 0 && *share <= 1)
    return MemoryLimit{0, *share};
  const auto bytes = parse_scaled(text, kUnits);
  if (!bytes || *bytes < 1 || *bytes > 9e18) return {};
  return MemoryLimit{static_cast<Index>(*bytes), 0};
}

std::optional<std::vector<Index>> parse_core_list(std::string_view text) {
  std::vector<Index> cores;
  while (!text.empty()) {
    const auto comma = std::min(text.find(','), text.size());
    const auto range = text.substr(0, comma);
    const auto dash = std::min(range.find('-'), range.size());
    const auto first = parse_number<Index>(range.substr(0, dash));
    const auto last = dash == range.size() ? first : parse_number<Index>(range.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last > 65535) return {};
    for (Index core = *first; core <= *last; ++core) cores.push_back(core);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  std::ranges::sort(cores);
  if (cores.empty() || std::ranges::adjacent_find(cores) != cores.end()) return {};
  return cores;
}

}  // namespace pleiad
