#include "codelets/ops/concat.hpp"

#include "codelets/move/stretch.hpp"
#include "codelets/ops/slice.hpp"

namespace pleiad {
namespace {

constexpr std::size_t kMaxInputs = 8;

void run(const Call& c) noexcept {
  const Tile& y = c.tiles.back();
  const std::size_t inputs = c.tiles.size() - 1, dim = dimension_of(c.signature, 0, inputs);
  with_stored(y.dtype, [&]<class T>() {
    Index to = 0;
    for (const Tile& x : c.tiles.first(inputs)) {
      copy_part<T>(x, 0, y, to, x.shape[dim], dim);
      to += x.shape[dim];
    }
  });
}

void launch(const Call& c, GpuQueue& q) {
  const Tile& y = c.tiles.back();
  const std::size_t inputs = c.tiles.size() - 1, dim = dimension_of(c.signature, 0, inputs);
  Index to = 0;
  for (const Tile& x : c.tiles.first(inputs)) {
    const Index n = x.shape[dim];
    gpu_copy(q, y.dtype, {x.data}, gpu_part(x.shape, dim, 0, n), {y.data}, gpu_part(y.shape, dim, to, n), y.accumulate);
    to += n;
  }
}

/// Of the joined dimension: its axis stands in the output, at the same place as those of the inputs.
Index extent(char axis, std::span<const Shape> inputs, const Attrs& attrs) {
  const auto notation = attrs.axes.view();
  const auto dim = notation.substr(notation.find("->") + 2).find(axis);
  Index sum = 0;
  for (const Shape& x : inputs) sum += x[dim];
  return sum;
}

void gradient(Grad& g) {
  const std::size_t inputs = g.signature().inputs(), dim = dimension_of(g.signature(), 0, inputs);
  const Shape y = g.shape(g.y());
  Index from = 0;
  for (int i = 0; i < static_cast<int>(inputs); ++i) {
    const Index to = from + g.shape(g.x(i))[dim];
    if (g.wants(i)) g.dx(i, g.call(slice, {g.dy()}, slice_attrs(y, dim, from, to))[0]);
    from = to;
  }
}

std::vector<Sample> samples() {
  return {{.inputs = {{3, 2, 2}, {3, 4, 2}}, .attrs = concat_attrs(2, 3, 1)},
          {.inputs = {{4, 2}, {4, 1}, {4, 3}}, .attrs = concat_attrs(3, 2, 1)},
          {.inputs = {{2}, {3}}, .attrs = concat_attrs(2, 1, 0)}};
}

}  // namespace

Attrs concat_attrs(std::size_t inputs, std::size_t rank, std::size_t dim) {
  const std::size_t length = (inputs + 1) * (rank + 1) + 1;
  if (inputs < 2 || inputs > kMaxInputs || dim >= rank || rank > kMaxRank || length > decltype(Attrs::axes)::kCapacity)
    throw ShapeError("concat: " + std::to_string(inputs) + " inputs of rank " + std::to_string(rank) +
                     " along dimension " + std::to_string(dim) + "; it joins 2 to 8, fewer of rank 6");
  std::string notation;
  for (std::size_t i = 0; i <= inputs; ++i) {
    std::string letters = std::string("abcdef").substr(0, rank);
    letters[dim] = i == inputs ? 'Y' : static_cast<char>('M' + static_cast<char>(i));
    notation.append(i == 0 ? "" : i == inputs ? "->" : ",").append(letters);
  }
  return Attrs(notation);
}

const Op concat{.name = "concat",
                .axes = {},
                .operands = {{{"x0"}, {"x1"}, {"x2"}, {"x3"}, {"x4"}, {"x5"}, {"x6"}, {"x7"}, {"y"}}},
                .flops = 0,
                .extent = extent,
                .grad = gradient,
                .impls = {{gpu_impl<launch>(), {.name = "ref", .run = run}}},
                .samples = samples};

}  // namespace pleiad
