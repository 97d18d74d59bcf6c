#include "codelets/ops/retile.hpp"

#include <algorithm>

#include "codelets/gpu/strides.hpp"
#include "codelets/kernel.hpp"

namespace pleiad {
namespace {

/// The box that two tiles have in common.
struct Overlap {
  Shape begin, extents;
};
Overlap overlap_of(const Tile& a, const Tile& b) {
  Overlap o;
  for (std::size_t d = 0; d < a.shape.rank(); ++d) {
    const Index begin = std::max(a.origin[d], b.origin[d]);
    const Index end = std::min(a.origin[d] + a.shape[d], b.origin[d] + b.shape[d]);
    o.begin.push_back(begin);
    o.extents.push_back(std::max<Index>(end - begin, 0));
  }
  return o;
}

/// Place in the tile of the first element of a row of the overlap.
Index row_offset(const Tile& t, const Overlap& o, Index row) {
  const std::size_t last = t.shape.rank() - 1;
  Index offset = o.begin[last] - t.origin[last], stride = t.shape[last];
  for (std::size_t d = last; d-- > 0; row /= o.extents[d], stride *= t.shape[d])
    offset += stride * (o.begin[d] - t.origin[d] + row % o.extents[d]);
  return offset;
}

template <class T>
void copy_overlap(const Call& c) {
  const bool scalar = c[0].shape.empty();
  const Overlap o = overlap_of(c[0], c[1]);
  const Index n = scalar ? 1 : o.extents.back(), rows = n == 0 ? 0 : o.extents.volume() / n;
  Tile row = c[1];
  row.shape = {n};
  for (Index r = 0; r < rows; ++r) {
    const T* x = c[0].as<const T>() + (scalar ? 0 : row_offset(c[0], o, r));
    row.data = c[1].as<T>() + (scalar ? 0 : row_offset(c[1], o, r));
    fill_elements<T>(row, [x](Index i) { return static_cast<Wide<T>>(x[i]); });
  }
}

void run(const Call& c) noexcept {
  with_stored(c[0].dtype, [&]<class T>() { copy_overlap<T>(c); });
}

/// Where the overlap lies in a tile.
GpuStrides strides_in(const Tile& t, const Overlap& o) {
  const Shape strides = row_major_strides(t.shape);
  GpuStrides s = gpu_strides(o.extents, strides);
  for (std::size_t d = 0; d < t.shape.rank(); ++d) s.start += (o.begin[d] - t.origin[d]) * strides[d];
  return s;
}

void launch(const Call& c, GpuQueue& q) {
  const Overlap o = overlap_of(c[0], c[1]);
  const Index n = o.extents.volume();
  if (n > 0)
    q.run("retile", c[0].dtype, grid_of_elements(n), c[0], c[1], n, c[1].accumulate, strides_in(c[0], o),
          strides_in(c[1], o));
}

void gradient(Grad& g) { g.dx(0, g.call(retile, {g.dy()})[0]); }

std::vector<Sample> samples() { return {{.inputs = {{7, 5}}}}; }

}  // namespace

const Op retile{.name = "retile",
                .axes = "...->...",
                .operands = {{{"x"}, {"y"}}},
                .flops = 0,
                .grad = gradient,
                .impls = {{gpu_impl<launch>(), {.name = "ref", .run = run}}},
                .samples = samples};

}  // namespace pleiad
