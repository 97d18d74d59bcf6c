#include "perfmodels/operands.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace pleiad {
namespace {

constexpr std::size_t kAlignment = 64, kHugePage = std::size_t{2} << 20;
constexpr std::size_t kMostCopies = 256;
constexpr std::size_t kTurnsBeforeRenewal = 32;  // a clipped gradient shrinks each time
constexpr Index kDistinctValues = 4096;          // longer operands repeat them

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

/// Repeats the first `known` elements up to the end.
void repeat(const Tile& t, Index known) {
  const std::size_t bytes = t.bytes();
  auto* data = t.as<std::byte>();
  for (std::size_t done = static_cast<std::size_t>(known) * size_of(t.dtype); done < bytes; done *= 2)
    std::memcpy(data + done, data, std::min(done, bytes - done));
}

void fill_ids(const Tile& t, Index n, Index bound, Uniform& uniform) {
  auto* ids = t.as<std::int32_t>();
  for (Index i = 0; i < n; ++i) ids[i] = static_cast<std::int32_t>(uniform() * static_cast<double>(bound));
  if (t.shape.empty()) ids[0] = 1;  // a count
}

void fill_numbers(const Tile& t, Index n, Domain domain, Uniform& uniform) {
  with_dtype(t.dtype, [&]<class T>() {
    for (Index i = 0; i < n; ++i) t.as<T>()[i] = static_cast<T>(static_cast<Wide<T>>(number(domain, uniform)));
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
    : op_(op), signature_(s), tiles_(std::move(tiles)) {
  for (const Tile& t : tiles_) {
    offsets_.push_back(copy_bytes_);
    copy_bytes_ += round_up(std::max<std::size_t>(t.bytes(), 1), kAlignment);
  }
  copies_ = std::clamp(footprint_bytes / copy_bytes_, std::size_t{1}, kMostCopies);
  memory_.reset(allocate(copy_bytes_ * copies_));
  fill();
}

void Operands::use(std::size_t copy) {
  std::byte* begin = memory_.get() + copy * copy_bytes_;
  for (std::size_t i = 0; i < tiles_.size(); ++i) tiles_[i].data = begin + offsets_[i];
}

void Operands::fill() {
  Uniform uniform;
  use(0);
  for (std::size_t i = 0; i < tiles_.size(); ++i) {
    const Index n = std::min(tiles_[i].size(), kDistinctValues);
    if (tiles_[i].dtype == DType::i32)
      fill_ids(tiles_[i], n, id_bound(signature_, i, tiles_), uniform);
    else
      fill_numbers(tiles_[i], n, domain_of(op_, i), uniform);
    repeat(tiles_[i], n);
  }
  for (std::size_t c = 1; c < copies_; ++c) std::memcpy(memory_.get() + c * copy_bytes_, memory_.get(), copy_bytes_);
  turn_ = 0;
}

std::span<const Tile> Operands::next() {
  use(turn_++ % copies_);
  return tiles_;
}

void Operands::renew() {
  const bool updates =
      std::any_of(signature_.operands.begin(), signature_.operands.end(), [](const auto& o) { return o.update; });
  if (updates && turn_ >= copies_ * kTurnsBeforeRenewal) fill();
}

}  // namespace pleiad
