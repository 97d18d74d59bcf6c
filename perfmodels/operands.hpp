#pragma once
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include "codelets/op.hpp"

namespace pleiad {

/// Memory for timing one kernel: as many copies of its operands as fit `footprint_bytes`, at least one, handed out in
/// turn. Values follow the op's sample: numbers of its domain, ids below every extent they could count.
class Operands {
 public:
  Operands(const Op&, const Signature&, std::vector<Tile>, std::size_t footprint_bytes);
  /// The tiles of the next copy; valid while this lives.
  std::span<const Tile> next();
  /// Gives all copies their first values again once in-place updates could have led them out of the normal range.
  void renew();

 private:
  void fill();
  void use(std::size_t copy);

  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };
  const Op& op_;
  const Signature& signature_;
  std::vector<Tile> tiles_;
  std::vector<std::size_t> offsets_;
  std::size_t copy_bytes_ = 0, copies_ = 1, turn_ = 0;
  std::unique_ptr<std::byte[], Free> memory_;
};

}  // namespace pleiad
