#pragma once
#include <span>
#include <string>
#include <string_view>

namespace pleiad {

/// Insertions, deletions, substitutions and swaps of neighbours that turn one word into the other.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate that was most likely meant, or "" if none is close. A dotted name may also be meant by its last part
/// alone, or by the same last part in another section.
std::string closest(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace pleiad
