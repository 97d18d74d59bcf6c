#include "runtime/pool.hpp"

#include <starpu.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <string>

#include "codelets/base/error.hpp"
#include "runtime/check.hpp"

namespace pleiad {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

std::byte* map(std::size_t bytes) {
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return p == MAP_FAILED ? nullptr : static_cast<std::byte*>(p);
}

/// `bytes` (a multiple of huge pages) starting at a huge page, or null.
std::byte* map_aligned(std::size_t bytes) {
  std::byte* block = map(bytes + kHugePage);
  if (block == nullptr) return nullptr;
  const std::size_t before = (kHugePage - reinterpret_cast<std::uintptr_t>(block) % kHugePage) % kHugePage;
  if (before > 0) munmap(block, before);
  if (before < kHugePage) munmap(block + before + bytes, kHugePage - before);
  return block + before;
}

}  // namespace

Pool::Pool(std::size_t bytes) {
  constexpr std::size_t most = SIZE_MAX / 2;
  if (bytes < most) {
    bytes_ = (bytes + kHugePage - 1) / kHugePage * kHugePage;
    if (bytes_ > 0 && (begin_ = map_aligned(bytes_)) == nullptr) bytes_ = 0;
  }
  if (bytes_ < bytes)
    throw Error(Exit::memory, "out of memory: the tensors need " + std::to_string(bytes) +
                                  " bytes in one piece\nuse a smaller batch or model");
  if (bytes_ == 0) return;
  madvise(begin_, bytes_, MADV_HUGEPAGE);  // advice: without huge pages everything works, slower
  std::memset(begin_, 0, bytes_);
  pinned_ = starpu_cuda_worker_get_count() > 0;
  if (pinned_) check(starpu_memory_pin(begin_, bytes_), "starpu_memory_pin");
}

Pool::~Pool() {
  if (begin_ == nullptr) return;
  if (pinned_) starpu_memory_unpin(begin_, bytes_);
  munmap(begin_, bytes_);
}

void* Pool::take(std::size_t bytes) {
  if (bytes > bytes_ - taken_) throw Error(Exit::internal, "more memory taken from a pool than it was made for");
  void* piece = begin_ + taken_;
  taken_ += rounded(bytes);
  return piece;
}

}  // namespace pleiad
