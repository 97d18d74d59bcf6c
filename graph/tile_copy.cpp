#include <cstring>

#include "graph/executor.hpp"

namespace pleiad {
namespace {

/// f(offset in the logical tensor, offset in the tile, length), in bytes, for every contiguous run of the tile.
template <class F>
void each_run(const Buffer& b, F f) noexcept {
  std::size_t inner = b.shape.rank();  // dims from `inner` on are whole in the tile
  Index run = 1;
  while (inner > 0 && b.shape[inner - 1] == b.whole[inner - 1]) run *= b.shape[--inner];
  Index stride = run;
  const std::size_t cut = inner > 0 ? inner - 1 : 0;  // the innermost dim that is cut: its extent joins the run
  if (inner > 0) run *= b.shape[cut];
  const auto bytes = static_cast<Index>(size_of(b.dtype));
  const Index runs = b.shape.volume() / run;
  for (Index r = 0; r < runs; ++r) {
    Index from = inner > 0 ? stride * b.origin[cut] : 0, rest = r, step = inner > 0 ? stride * b.whole[cut] : stride;
    for (std::size_t d = cut; d-- > 0; step *= b.whole[d], rest /= b.shape[d])
      from += step * (b.origin[d] + rest % b.shape[d]);
    f(static_cast<std::size_t>(from * bytes), static_cast<std::size_t>(r * run * bytes),
      static_cast<std::size_t>(run * bytes));
  }
}

}  // namespace

void copy_to_tile(const Buffer& b, std::span<const std::byte> logical, void* tile) noexcept {
  each_run(b, [&](std::size_t from, std::size_t to, std::size_t bytes) {
    std::memcpy(static_cast<std::byte*>(tile) + to, logical.data() + from, bytes);
  });
}

void copy_from_tile(const Buffer& b, const void* tile, std::span<std::byte> logical) noexcept {
  each_run(b, [&](std::size_t to, std::size_t from, std::size_t bytes) {
    std::memcpy(logical.data() + to, static_cast<const std::byte*>(tile) + from, bytes);
  });
}

}  // namespace pleiad
