#include "codelets/conv/conv_gpu.hpp"

#include <algorithm>

#include "codelets/base/gpu_arguments.h"
#include "codelets/gpu/sum_parts.hpp"

namespace pleiad {
namespace {

/// Of the tiles that conv_gather and conv_weights compute in a group.
constexpr Index kSide = 64;

Index ceil_div(Index a, Index b) { return (a + b - 1) / b; }
int narrow(Index i) { return static_cast<int>(i); }
bool depthwise(const Conv& v) { return v.group_in() == 1 && v.group_out() == 1; }

/// The forward pass: from x to y.
GpuConv gather_of(const Conv& v) {
  const Index window = v.rows.kernel * v.cols.kernel;
  return {.pixels = v.batch * v.rows.out * v.cols.out,
          .w_target = v.group_in() * window,
          .w_source = window,
          .target = {narrow(v.rows.out), narrow(v.cols.out)},
          .source = {narrow(v.rows.in), narrow(v.cols.in)},
          .target_channels = narrow(v.out),
          .source_channels = narrow(v.in),
          .target_group = narrow(v.group_out()),
          .source_group = narrow(v.group_in()),
          .window = {narrow(v.rows.kernel), narrow(v.cols.kernel)},
          .stride = {narrow(v.rows.stride), narrow(v.cols.stride)},
          .padding = {narrow(v.rows.padding), narrow(v.cols.padding)},
          .dilation = {narrow(v.rows.dilation), narrow(v.cols.dilation)}};
}

/// The same from dy to dx.
GpuConv gather_back(const Conv& v) {
  GpuConv g = gather_of(v);
  g.pixels = v.batch * v.rows.in * v.cols.in;
  std::swap(g.w_target, g.w_source);
  std::swap(g.target, g.source);
  std::swap(g.target_channels, g.source_channels);
  std::swap(g.target_group, g.source_group);
  g.back = 1;
  return g;
}

void gather(GpuQueue& q, const GpuConv& g, Index groups, const Tile& source, const Tile& w, const Tile& bias,
            const Tile& target) {
  const GpuGrid grid{{ceil_div(g.target_group, kSide), ceil_div(g.pixels, kSide), groups}, {16, 16, 1}};
  q.run("conv_gather", source.dtype, grid, source, w, bias, target, g);
}

void gather_depthwise(GpuQueue& q, const GpuConv& g, const Tile& source, const Tile& w, const Tile& target) {
  q.run("conv_depthwise", source.dtype, grid_of_elements(target.size()), source, w, target, g);
}

/// A sum over pixels in parts, so that there is work for a whole GPU: by shapes alone, so that sums are too.
struct Splits {
  Index count, length;

  Splits(Index pixels, Index groups_each) {
    constexpr Index enough_groups = 512, least_length = 256;
    count = std::clamp<Index>(enough_groups / groups_each, 1, ceil_div(pixels, least_length));
    length = ceil_div(pixels, count);
  }
};

}  // namespace

void gpu_convolve(GpuQueue& q, const Conv& v, const Tile& x, const Tile& w, const Tile* bias, bool relu,
                  const Tile& y) {
  GpuConv g = gather_of(v);
  g.bias = bias != nullptr;
  g.relu = relu;
  g.accumulate = y.accumulate;
  if (depthwise(v) && !bias && !relu)
    gather_depthwise(q, g, x, w, y);
  else
    gather(q, g, v.groups, x, w, bias ? *bias : w, y);
}

void gpu_convolve_back(GpuQueue& q, const Conv& v, const Tile& dy, const Tile& w, const Tile& dx) {
  GpuConv g = gather_back(v);
  g.accumulate = dx.accumulate;
  if (depthwise(v))
    gather_depthwise(q, g, dy, w, dx);
  else
    gather(q, g, v.groups, dy, w, w, dx);
}

void gpu_correlate(GpuQueue& q, const Conv& v, const Tile& dy, const Tile& x, const Tile& dw) {
  const GpuConv g = gather_of(v);
  const Index window = v.rows.kernel * v.cols.kernel;
  const Index columns = depthwise(v) ? ceil_div(v.out, 32) : ceil_div(v.group_in() * window, kSide);
  const Index rows = depthwise(v) ? window : ceil_div(v.group_out(), kSide);
  const Splits splits(g.pixels, columns * rows * (depthwise(v) ? 1 : v.groups));
  const GpuMemory parts = scratch_of_parts(q, dy.dtype, splits.count * dw.size());
  if (depthwise(v))
    q.run("conv_depthwise_weights", dy.dtype, {{columns, rows, splits.count}, {32, 8, 1}}, dy, x, parts, g,
          splits.length);
  else
    q.run("conv_weights", dy.dtype, {{columns, rows, v.groups * splits.count}, {16, 16, 1}}, dy, x, parts, g,
          splits.length, splits.count);
  q.run("sum_splits", dy.dtype, grid_of_elements(dw.size()), parts, dw, dw.size(), splits.count, dw.accumulate);
}

}  // namespace pleiad
