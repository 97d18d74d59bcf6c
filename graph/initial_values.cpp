#include <Random123/philox.h>

#include <cmath>
#include <cstring>
#include <numbers>

#include "graph/nn.hpp"

namespace pleiad::nn {
namespace {

/// FNV-1a, 64 bits (Fowler, Noll, Vo).
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t h = 0xcbf29ce484222325u;
  for (unsigned char c : text) h = (h ^ c) * 0x100000001b3u;
  return h;
}

std::uint32_t low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
std::uint32_t high(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }

/// Uniform in (0, 1) for element i of the tensor with this hash.
double uniform(std::uint64_t seed, std::uint64_t name, std::uint64_t i) {
  const std::uint64_t block = i / 4;
  const auto random = r123::Philox4x32()({{low(block), high(block), low(name), high(name)}}, {{low(seed), high(seed)}});
  return (static_cast<double>(random[i % 4]) + 0.5) * 0x1p-32;
}

/// Box and Muller 1958.
double normal(std::uint64_t seed, std::uint64_t name, std::uint64_t i) {
  const double radius = std::sqrt(-2 * std::log(uniform(seed, name, 2 * i)));
  return radius * std::cos(2 * std::numbers::pi * uniform(seed, name, 2 * i + 1));
}

double element(const Distribution& d, std::uint64_t seed, std::uint64_t name, std::uint64_t i) {
  double x = d.value;
  if (d.bound > 0) x += d.bound * (2 * uniform(seed, name, i) - 1);
  if (d.deviation > 0) x += d.deviation * normal(seed, name, i);
  return x;
}

}  // namespace

std::vector<std::byte> initial_values(const Graph& g, const Init& init, std::uint64_t seed) {
  const Tensor& t = g[init.param];
  const auto n = static_cast<std::size_t>(t.shape.volume());
  std::vector<std::byte> bytes(n * size_of(t.dtype));
  with_dtype(t.dtype, [&]<class T>() {
    const std::uint64_t name = hash_of(t.name);
    for (std::size_t i = 0; i < n; ++i) {
      const T value(static_cast<Wide<T>>(element(init.values, seed, name, i)));
      std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
    }
  });
  return bytes;
}

}  // namespace pleiad::nn
