#pragma once
#include <algorithm>
#include <exception>

#include "codelets/gpu/queue.hpp"
#include "codelets/op.hpp"

// Implementations for GPUs: what the C++ side of a kernel text (*.gpu) needs.

namespace pleiad {

/// The type that the kernels of a call are compiled for: that of the first operand that is not ids.
inline DType gpu_dtype(const Call& c) {
  const auto numeric = [](const Tile& t) { return t.dtype != DType::i32; };
  const auto at = std::ranges::find_if(c.tiles, numeric);
  return at == c.tiles.end() ? DType::i32 : at->dtype;
}

namespace gpu {

/// A text as a template argument.
struct Name {
  char text[32]{};
  consteval Name(const char* name) {
    for (std::size_t i = 0; name[i] != 0; ++i) text[i] = name[i];
  }
  constexpr bool empty() const { return text[0] == 0; }
};

template <void (*launch)(const Call&, GpuQueue&)>
void run(const Call& c) noexcept {
  try {
    launch(c, *static_cast<GpuQueue*>(c.stream));
  } catch (const std::exception& e) {
    fatal(e.what());
  }
}

template <Name kernel>
void launch_elements(const Call& c, GpuQueue& q) {
  const Tile& y = c.tiles.back();
  const auto grid = grid_of_elements(y.size());
  const auto dtype = gpu_dtype(c);
  switch (c.tiles.size()) {
    case 1:
      return q.run(kernel.text, dtype, grid, y, y.size(), y.accumulate);
    case 2:
      return q.run(kernel.text, dtype, grid, c[0], y, y.size(), y.accumulate);
    case 3:
      return q.run(kernel.text, dtype, grid, c[0], c[1], y, y.size(), y.accumulate);
    default:
      return q.run(kernel.text, dtype, grid, c[0], c[1], c[2], y, y.size(), y.accumulate);
  }
}

}  // namespace gpu

/// An implementation that starts kernels: `launch` says which, with which arguments.
template <void (*launch)(const Call&, GpuQueue&)>
constexpr Impl gpu_impl(const char* name = "portable", bool (*fits)(const Call&) = nullptr) {
  return {.device = Device::gpu, .name = name, .run = &gpu::run<launch>, .fits = fits};
}
/// The same for KERNEL(kernel)(inputs..., y, n, accumulate), which is element-wise and needs nothing else.
template <gpu::Name kernel>
constexpr Impl gpu_elements() {
  return gpu_impl<gpu::launch_elements<kernel>>();
}

}  // namespace pleiad
