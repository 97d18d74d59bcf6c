#include "perfmodels/operands.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace pleiad {
namespace {

constexpr std::size_t kAlignment = 64, kHugePage = std::size_t{2} << 20;
constexpr std::size_t kMostCopies = 256;
// In-place updates drift (a clipped gradient shrinks each time): values start anew before they leave the normal range.
constexpr std::size_t kTurnsBeforeRestore = 32;

constexpr std::size_t round_up(std::size_t n, std::size_t multiple) { return (n + multiple - 1) / multiple * multiple; }

/// Uniform in [0, 1), the same sequence every time.
class Uniform {
 public:
  double operator()() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state_ >> 40) / static_cast<double>(1u << 24);
  }

 private:
  std::uint64_t state_ = 1;
};

double number(Domain domain, Uniform& uniform) {
  const double u = uniform();
  if (domain == Domain::positive) return 0.5 + 1.5 * u;
  const double x = (2 * u - 1) * 1.73;  // variance 1
  return x < 0 ? x - 0.1 : x + 0.1;
}

Domain domain_of(const Op& op, std::size_t operand) {
  if (op.samples == nullptr) return Domain::normal;
  const auto samples = op.samples();
  if (samples.empty() || operand >= samples[0].domains.size()) return Domain::normal;
  return samples[0].domains[operand];
}

/// Ids stay below the extent of every axis that the id operand does not have: one of those is what they count.
Index id_bound(const Signature& s, std::size_t operand, std::span<const Tile> tiles) {
  Index bound = 0;
  for (char axis : s.axes)
    if (s.operands[operand].axes.find(axis) == std::string::npos) {
      const Index extent = axis_extent(axis, s, tiles);
      bound = bound == 0 ? extent : std::min(bound, extent);
    }
  return std::max<Index>(bound, 1);
}

void fill_ids(const Tile& t, Index bound, Uniform& uniform) {
  auto* ids = t.as<std::int32_t>();
  const Index n = t.size();
  if (t.shape.empty()) bound = 1, ids[0] = 1;  // a count
  for (Index i = 0; i < n && !t.shape.empty(); ++i)
    ids[i] = static_cast<std::int32_t>(uniform() * static_cast<double>(bound));
}

void fill_numbers(const Tile& t, Domain domain, Uniform& uniform) {
  with_dtype(t.dtype, [&]<class T>() {
    for (Index i = 0; i < t.size(); ++i) t.as<T>()[i] = static_cast<T>(static_cast<Wide<T>>(number(domain, uniform)));
  });
}

std::byte* allocate(std::size_t bytes) {
  void* p = std::aligned_alloc(kHugePage, round_up(bytes, kHugePage));
  if (p == nullptr) throw std::bad_alloc();
  madvise(p, bytes, MADV_HUGEPAGE);  // as in the pool that steps run in; if refused, small pages do
  return static_cast<std::byte*>(p);
}

}  // namespace

Operands::Operands(const Op& op, const Signature& s, std::vector<Tile> tiles, std::size_t footprint_bytes)
    : tiles_(std::move(tiles)) {
  for (const Tile& t : tiles_) {
    offsets_.push_back(set_bytes_);
    set_bytes_ += round_up(std::max<std::size_t>(t.bytes(), 1), kAlignment);
  }
  copies_ = std::clamp(footprint_bytes / set_bytes_, std::size_t{1}, kMostCopies);
  memory_.reset(allocate(set_bytes_ * (copies_ + 1)));
  fill(op, s);
  restore();
}

void Operands::fill(const Op& op, const Signature& s) {
  Uniform uniform;
  for (std::size_t i = 0; i < tiles_.size(); ++i) tiles_[i].data = memory_.get() + offsets_[i];
  for (std::size_t i = 0; i < tiles_.size(); ++i) {
    if (tiles_[i].dtype == DType::i32)
      fill_ids(tiles_[i], id_bound(s, i, tiles_), uniform);
    else
      fill_numbers(tiles_[i], domain_of(op, i), uniform);
  }
}

void Operands::restore() {
  for (std::size_t c = 1; c <= copies_; ++c) std::memcpy(memory_.get() + c * set_bytes_, memory_.get(), set_bytes_);
}

std::span<const Tile> Operands::next() {
  if (turn_ == copies_ * kTurnsBeforeRestore) {
    restore();
    turn_ = 0;
  }
  std::byte* set = memory_.get() + (turn_++ % copies_ + 1) * set_bytes_;
  for (std::size_t i = 0; i < tiles_.size(); ++i) tiles_[i].data = set + offsets_[i];
  return tiles_;
}

}  // namespace pleiad
