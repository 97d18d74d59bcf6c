#include "codelets/ops/slice.hpp"

#include "codelets/move/stretch.hpp"

namespace pleiad {
namespace {

/// "abc" with the axis of the dimension replaced.
std::string axes(std::size_t rank, std::size_t dim, char axis) {
  std::string letters = std::string("abcdef").substr(0, rank);
  letters[dim] = axis;
  return letters;
}

void run(const Call& c) noexcept {
  const auto a = c.attrs.as<SliceAttrs>();
  const std::size_t dim = dimension_of(c.signature, 0, 1);
  with_stored(c[0].dtype, [&]<class T>() { copy_part<T>(c[0], a.begin, c[1], 0, a.end - a.begin, dim); });
}

/// Zeros along dimension `dim` from one position to another; what accumulates stays as it is.
template <class T>
void clear_part(const Tile& y, Index from, Index to, std::size_t dim) {
  const Around out = around(y.shape, dim);
  for (Index o = 0; o < out.outer && !y.accumulate; ++o)
    fill_elements<T>(stretch<T>(y, o * out.row() + from * out.inner, (to - from) * out.inner),
                     [](Index) { return Wide<T>(0); });
}

void run_grad(const Call& c) noexcept {
  const auto a = c.attrs.as<SliceAttrs>();
  const std::size_t dim = dimension_of(c.signature, 0, 1);
  with_stored(c[0].dtype, [&]<class T>() {
    clear_part<T>(c[1], 0, a.begin, dim);
    copy_part<T>(c[0], 0, c[1], a.begin, a.end - a.begin, dim);
    clear_part<T>(c[1], a.end, a.whole, dim);
  });
}

void launch(const Call& c, GpuQueue& q) {
  const auto a = c.attrs.as<SliceAttrs>();
  const std::size_t dim = dimension_of(c.signature, 0, 1);
  const Index n = a.end - a.begin;
  gpu_copy(q, c[0].dtype, {c[0].data}, gpu_part(c[0].shape, dim, a.begin, n), {c[1].data},
           gpu_part(c[1].shape, dim, 0, n), c[1].accumulate);
}
void launch_grad(const Call& c, GpuQueue& q) {
  const auto a = c.attrs.as<SliceAttrs>();
  const std::size_t dim = dimension_of(c.signature, 0, 1);
  const Index n = a.end - a.begin;
  if (!c[1].accumulate) q.run("fill", c[1].dtype, grid_of_elements(c[1].size()), c[1], c[1].size(), 0.0, false);
  gpu_copy(q, c[0].dtype, {c[0].data}, gpu_part(c[0].shape, dim, 0, n), {c[1].data},
           gpu_part(c[1].shape, dim, a.begin, n), c[1].accumulate);
}

Index extent(char, std::span<const Shape>, const Attrs& attrs) {
  const auto a = attrs.as<SliceAttrs>();
  return a.end - a.begin;
}
Index grad_extent(char, std::span<const Shape>, const Attrs& attrs) { return attrs.as<SliceAttrs>().whole; }

void gradient(Grad& g) {
  const std::string x = g.signature().operands[0].axes, y = g.signature().operands[1].axes;
  g.dx(0,
       g.call(slice_grad, {g.dy()}, Attrs::of(g.attrs().as<SliceAttrs>(), std::string(y).append("->").append(x)))[0]);
}

std::vector<Sample> samples() {
  return {{.inputs = {{3, 7, 2}}, .attrs = slice_attrs({3, 7, 2}, 1, 2, 6)},
          {.inputs = {{4, 5}}, .attrs = slice_attrs({4, 5}, 1, 0, 3)},
          {.inputs = {{5}}, .attrs = slice_attrs({5}, 0, 4, 5)}};
}
std::vector<Sample> grad_samples() {
  return {{.inputs = {{3, 4, 2}}, .attrs = Attrs::of(SliceAttrs{2, 6, 7}, "aTc->aSc")},
          {.inputs = {{1}}, .attrs = Attrs::of(SliceAttrs{4, 5, 5}, "T->S")}};
}

}  // namespace

Attrs slice_attrs(const Shape& x, std::size_t dim, Index begin, Index end) {
  if (dim >= x.rank() || begin < 0 || begin >= end || end > x[dim])
    throw ShapeError("slice: x is " + to_string(x) + ", which has no part " + std::to_string(begin) + " to " +
                     std::to_string(end) + " along dimension " + std::to_string(dim));
  return Attrs::of(SliceAttrs{begin, end, x[dim]}, axes(x.rank(), dim, 'S') + "->" + axes(x.rank(), dim, 'T'));
}

const Op slice{.name = "slice",
               .axes = {},
               .operands = {{{"x"}, {"y"}}},
               .flops = 0,
               .extent = extent,
               .grad = gradient,
               .impls = {{gpu_impl<launch>(), {.name = "ref", .run = run}}},
               .samples = samples};
const Op slice_grad{.name = "slice_grad",
                    .axes = {},
                    .operands = {{{"dy"}, {"dx"}}},
                    .flops = 0,
                    .extent = grad_extent,
                    .impls = {{gpu_impl<launch_grad>(), {.name = "ref", .run = run_grad}}},
                    .samples = grad_samples};

}  // namespace pleiad
