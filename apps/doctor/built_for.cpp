#include "apps/doctor/built_for.hpp"

#include <fmt/format.h>

#include "codelets/base/error.hpp"

namespace pleiad {

std::string built_for() {
#if defined(__AVX512F__)
  return PLEIAD_ARCH " (avx512)";
#elif defined(__AVX2__)
  return PLEIAD_ARCH " (avx2)";
#else
  return PLEIAD_ARCH;
#endif
}

std::string missing_instructions() {
  std::string missing;
#if defined(__AVX512F__)
  if (!__builtin_cpu_supports("avx512f")) missing += "avx512f ";
#endif
#if defined(__AVX512BF16__)
  if (!__builtin_cpu_supports("avx512bf16")) missing += "avx512bf16 ";
#endif
#if defined(__AVX2__)
  if (!__builtin_cpu_supports("avx2")) missing += "avx2 ";
#endif
#if defined(__FMA__)
  if (!__builtin_cpu_supports("fma")) missing += "fma ";
#endif
  if (!missing.empty()) missing.pop_back();
  return missing;
}

void check_instructions() {
  const auto missing = missing_instructions();
  if (missing.empty()) return;
  throw Error(Exit::hardware,
              fmt::format("this binary was built for {}; this CPU lacks {}\nbuild it on this machine, or for "
                          "all of them: cmake --preset release -DPLEIAD_ARCH=x86-64-v3",
                          built_for(), missing));
}

}  // namespace pleiad
