#include "apps/run/name.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <random>

#include "codelets/base/error.hpp"

namespace pleiad {
namespace {

constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
constexpr std::size_t kLongest = 100;

bool is_allowed(char c) { return kAllowed.find(c) != std::string_view::npos; }

}  // namespace

void check_run_name(std::string_view name) {
  const bool good = !name.empty() && name.size() <= kLongest && name[0] != '.' && name[0] != '-' &&
                    std::ranges::all_of(name, is_allowed);
  if (!good)
    throw Error(Exit::usage,
                fmt::format("\"{}\" cannot be the name of a run (run.name)\nletters, digits, '.', '_' and '-', "
                            "at most {}; it becomes the name of a folder",
                            name, kLongest));
}

std::string made_up_run_name(std::string_view title) {
  std::string stem(title.substr(0, kLongest / 2));
  std::ranges::replace_if(
      stem, [](char c) { return !is_allowed(c); }, '-');
  stem.erase(0, std::min(stem.find_first_not_of(".-"), stem.size()));
  std::random_device random;
  return fmt::format("{}-{:%m%d}-{}{}", stem.empty() ? "run" : stem, fmt::localtime(std::time(nullptr)),
                     static_cast<char>('a' + random() % 26), random() % 10);
}

}  // namespace pleiad
