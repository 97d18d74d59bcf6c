#include "apps/data/find.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "apps/config/suggest.hpp"
#include "codelets/base/error.hpp"

namespace pleiad {
namespace {

namespace fs = std::filesystem;

/// A data set that a Debian package holds.
struct KnownData {
  std::string_view name, file;  // file or folder below a folder of the data path
  std::string_view extra_folder;
  std::string_view package, otherwise;
};

constexpr auto kKnown = std::to_array<KnownData>({
    {"fashion-mnist", "fashion-mnist", "", "dataset-fashion-mnist", "--data.train DIR with the 4 IDX files"},
    {"kjv-bible", "bible", "/usr/bin", "bible-kjv", "--data.train FILE with any text"},
    {"digits", "digits.csv.gz", "/usr/lib/python3/dist-packages/sklearn/datasets/data", "python3-sklearn",
     "--data.train FILE with 65 columns, the label last"},
});

/// As users write it: ./data, ~/.cache/pleiad/data.
std::string shown(const fs::path& folder) {
  const char* home = std::getenv("HOME");
  const auto text = folder.string();
  if (home && *home && text.starts_with(fmt::format("{}/", home)))
    return "~" + text.substr(std::string_view(home).size());
  return folder.is_absolute() || text.starts_with('.') ? text : "./" + text;
}

[[noreturn]] void throw_not_found(const std::string& name, const KnownData* known, std::span<const fs::path> folders) {
  std::vector<std::string> places;
  for (const auto& folder : folders) places.push_back(shown(folder));
  std::vector<std::string_view> names;
  for (const auto& k : kKnown) names.push_back(k.name);
  const auto meant = closest(name, names);
  const auto advice =
      known ? fmt::format("Debian/Ubuntu: sudo apt-get install {} · other: {}", known->package, known->otherwise)
            : fmt::format("{}known: {}", meant.empty() ? "" : fmt::format("did you mean {}?   ", meant),
                          fmt::join(names, ", "));
  throw Error(Exit::data, fmt::format("data {} not found (looked in {})\n{}", name, fmt::join(places, ", "), advice));
}

}  // namespace

fs::path find_data(const std::string& name, std::span<const fs::path> data_path) {
  const auto known = std::ranges::find(kKnown, name, &KnownData::name);
  const bool is_known = known != kKnown.end();
  std::vector<fs::path> folders(data_path.begin(), data_path.end());
  if (is_known && !known->extra_folder.empty()) folders.emplace_back(known->extra_folder);
  if (!is_known && fs::exists(name)) return name;
  for (const auto& folder : folders)
    if (const auto path = folder / (is_known ? known->file : name); fs::exists(path)) return path;
  throw_not_found(name, is_known ? &*known : nullptr, folders);
}

}  // namespace pleiad
