#include "apps/data/shuffle.hpp"

#include <Random123/philox.h>

#include <cstdint>
#include <numeric>
#include <utility>

namespace pleiad {
namespace {

std::uint32_t low(Index x) { return static_cast<std::uint32_t>(x); }
std::uint32_t high(Index x) { return static_cast<std::uint32_t>(static_cast<std::uint64_t>(x) >> 32); }

/// Modulo a number below 2^40 the bias is below 2^-24.
std::uint64_t random_64(Index i, Index seed, Index stream) {
  const auto words = r123::Philox4x32()({{low(i), high(i), low(stream), high(stream)}}, {{low(seed), high(seed)}});
  return std::uint64_t{words[0]} << 32 | words[1];
}

}  // namespace

std::vector<Index> permutation(Index count, Index seed, Index stream) {
  std::vector<Index> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), Index{0});
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[random_64(static_cast<Index>(i), seed, stream) % i]);
  return order;
}

}  // namespace pleiad
