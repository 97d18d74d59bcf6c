#pragma once
#include "codelets/base/dtype.hpp"
#include "codelets/base/shape.hpp"

namespace pleiad {

/// One operand as a kernel sees it: borrowed memory, its extents, where it lies in the logical tensor (`origin`), and
/// that tensor's extents (`whole`). `accumulate`: an output that is to be added to instead of overwritten.
struct Tile {
  void* data = nullptr;
  Shape shape, origin, whole;
  DType dtype = DType::f32;
  bool accumulate = false;

  template <class T>
  T* as() const {
    return static_cast<T*>(data);
  }
  Index size() const { return shape.volume(); }
  std::size_t bytes() const { return static_cast<std::size_t>(size()) * size_of(dtype); }
};

/// Row-major number in the logical tensor of the tile's i-th element: what randomness is keyed by.
inline Index global_index(const Tile& t, Index i) {
  Index global = 0, stride = 1;
  for (std::size_t d = t.shape.rank(); d-- > 0; i /= t.shape[d], stride *= t.whole[d])
    global += stride * (t.origin[d] + i % t.shape[d]);
  return global;
}

}  // namespace pleiad
