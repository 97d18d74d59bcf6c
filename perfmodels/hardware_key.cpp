#include "perfmodels/hardware_key.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstdio>

namespace pleiad {
namespace {

/// Words in brackets or that every vendor uses say nothing: "Intel(R) Xeon(R) Gold 6330 CPU @ 2.00GHz".
bool says_something(std::string_view word) {
  constexpr std::string_view kNoise[] = {"intel", "amd", "r", "tm", "cpu", "processor", "core", "with", "generation"};
  const bool counts = word.find_first_of("0123456789") == std::string_view::npos || !word.ends_with("hz");
  return counts && std::find(std::begin(kNoise), std::end(kNoise), word) == std::end(kNoise);
}

/// At most three words of the model in lower case, joined by '-'.
std::string short_model(std::string_view model) {
  std::string name, word;
  int words = 0;
  const auto end_word = [&] {
    if (!word.empty() && words < 3 && says_something(word)) {
      name += (name.empty() ? "" : "-") + word;
      ++words;
    }
    word.clear();
  };
  for (char c : model) {
    const auto u = static_cast<unsigned char>(c);
    if (std::isalnum(u) != 0 || c == '.')
      word += static_cast<char>(std::tolower(u));
    else
      end_word();
  }
  end_word();
  return name.empty() ? "cpu" : name;
}

std::uint32_t fnv1a(std::string_view text) {
  std::uint32_t hash = 2166136261u;
  for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

}  // namespace

std::string_view instruction_set() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f")) return "avx512";
  if (__builtin_cpu_supports("avx2")) return "avx2";
  return "sse2";
#elif defined(__aarch64__)
  return "neon";
#else
  return "generic";
#endif
}

std::string hardware_key(std::string_view cpu_model, int cores, std::string_view isa, std::string_view detail) {
  const std::string key = short_model(cpu_model) + "-" + std::to_string(cores) + "c-" + std::string(isa);
  const std::uint32_t hash = fnv1a(key + "|" + std::string(cpu_model) + "|" + std::string(detail));
  std::array<char, 8> hex{};
  std::snprintf(hex.data(), hex.size(), "%06x", hash & 0xffffffu);
  return key + "-" + hex.data();
}

}  // namespace pleiad
