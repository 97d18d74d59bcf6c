#include "runtime/policy.hpp"

#include <starpu.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "runtime/session.hpp"

namespace pleiad {
namespace {

/// Those that start one task on several workers, or are StarPU's own test.
bool unfit(std::string_view policy) {
  constexpr std::string_view names[] = {
      "pheft", "peager", "modular-pheft", "modular-prandom", "modular-prandom-prio", "graph_test"};
  return std::ranges::find(names, policy) != std::end(names);
}

/// Levenshtein's distance.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& known) {
  return *std::ranges::min_element(known, {}, [&](const std::string& k) { return edits(word, k); });
}

std::vector<std::string> Session::policies() {
  std::vector<std::string> names{"auto"};
  for (starpu_sched_policy** p = starpu_sched_get_predefined_policies(); *p != nullptr; ++p)
    if (!unfit((*p)->policy_name)) names.emplace_back((*p)->policy_name);
  return names;
}

std::string policy_for(const std::string& asked, bool equal_workers) {
  if (asked == "auto") return equal_workers ? "prio" : "dmdas";
  const std::vector<std::string> known = Session::policies();
  if (std::ranges::find(known, asked) != known.end()) return asked;
  std::string list;
  for (const auto& name : known)
    if (!name.starts_with("modular-")) list += (list.empty() ? "" : ", ") + name;
  throw Error(Exit::usage, "unknown scheduling policy " + asked + "\ndid you mean " + nearest(asked, known) + "?   (" +
                               list + ", modular-...)");
}

}  // namespace pleiad
