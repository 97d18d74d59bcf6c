#include "apps/config/suggest.hpp"

#include <algorithm>
#include <vector>

namespace pleiad {
namespace {

std::string_view last_part(std::string_view name) { return name.substr(name.rfind('.') + 1); }

/// How far the candidate is from the word; more than `tolerance` is not worth a suggestion.
std::size_t misfit(std::string_view word, std::string_view candidate) {
  const auto near = edit_distance(word, candidate);
  if (word.starts_with(candidate) || (word.size() >= 3 && candidate.starts_with(word)))
    return std::min<std::size_t>(near, 2);
  if (candidate.find('.') == std::string_view::npos) return near;
  return std::min(near, 1 + edit_distance(last_part(word), last_part(candidate)));
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0u : 1u)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

std::string closest(std::string_view word, std::span<const std::string_view> candidates) {
  if (word.size() > 64) return "";
  const auto best = std::ranges::min_element(candidates, {}, [&](auto candidate) { return misfit(word, candidate); });
  const auto length = last_part(word).size();
  const std::size_t tolerance = length <= 3 ? 1 : length < 9 ? 2 : 3;
  if (best == candidates.end() || misfit(word, *best) > tolerance) return "";
  return std::string(*best);
}

}  // namespace pleiad
