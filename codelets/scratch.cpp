#include <cstdlib>
#include <memory>
#include <string>

#include "codelets/kernel.hpp"

namespace pleiad {
namespace {

constexpr std::size_t kAlignment = 64;

struct Free {
  void operator()(void* p) const { std::free(p); }
};

}  // namespace

void* scratch(std::size_t bytes) noexcept {
  thread_local std::unique_ptr<void, Free> memory;
  thread_local std::size_t capacity = 0;
  if (bytes <= capacity) return memory.get();
  capacity = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  memory.reset();
  memory.reset(std::aligned_alloc(kAlignment, capacity));
  if (!memory) fatal("no memory for " + std::to_string(capacity) + " bytes of kernel scratch");
  return memory.get();
}

}  // namespace pleiad
