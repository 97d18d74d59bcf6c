#pragma once
#include <cstddef>

namespace pleiad {

/// Memory for the tensors of one executor: one block of huge pages (where the kernel has them), zero, touched by the
/// constructing thread so that no page is faulted in later, and pinned where there are CUDA workers. Pieces are never
/// given back singly. Needs a running session. Throws Error (Exit::memory) naming the bytes.
class Pool {
 public:
  static constexpr std::size_t kAlignment = 64;

  explicit Pool(std::size_t bytes);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// The next `bytes`, aligned to kAlignment; what is taken must have been asked for at construction.
  void* take(std::size_t bytes);
  std::size_t bytes() const { return bytes_; }
  /// What a piece occupies.
  static constexpr std::size_t rounded(std::size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

 private:
  std::byte* begin_ = nullptr;
  std::size_t bytes_ = 0, taken_ = 0;
  bool pinned_ = false;
};

}  // namespace pleiad
