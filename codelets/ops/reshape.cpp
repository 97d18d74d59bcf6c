#include "codelets/ops/reshape.hpp"

#include "codelets/move/stretch.hpp"

namespace pleiad {
namespace {

constexpr std::string_view kBefore = "MNOPQR", kAfter = "UVWXYZ";

void run(const Call& c) noexcept {
  with_stored(c[0].dtype, [&]<class T>() {
    const T* x = c[0].as<const T>();
    fill_elements<T>(c[1], [x](Index i) { return static_cast<Wide<T>>(x[i]); });
  });
}

void launch(const Call& c, GpuQueue& q) {
  const GpuStrides all = gpu_part({c[0].size()}, 0, 0, c[0].size());
  gpu_copy(q, c[0].dtype, {c[0].data}, all, {c[1].data}, all, c[1].accumulate);
}

/// `count` dimensions from the first-th on.
Shape part(const Shape& x, std::size_t first, std::size_t count) {
  Shape s;
  for (std::size_t d = first; d < first + count; ++d) s.push_back(x[d]);
  return s;
}

Index extent(char axis, std::span<const Shape>, const Attrs& attrs) {
  return attrs.as<ReshapeAttrs>().to[kAfter.find(axis)];
}

void gradient(Grad& g) {
  const auto a = g.attrs().as<ReshapeAttrs>();
  const Shape x = g.shape(g.x(0)), y = g.shape(g.y());
  const Shape from = part(x, a.first, x.rank() + a.to.rank() - y.rank());
  g.dx(0, g.call(reshape, {g.dy()}, reshape_attrs(y, a.first, a.to.rank(), from))[0]);
}

std::vector<Sample> samples() {
  return {{.inputs = {{3, 2, 4, 2}}, .attrs = reshape_attrs({3, 2, 4, 2}, 1, 2, {8})},
          {.inputs = {{5, 6}}, .attrs = reshape_attrs({5, 6}, 1, 1, {2, 3})}};
}

}  // namespace

Attrs reshape_attrs(const Shape& x, std::size_t first, std::size_t count, const Shape& to) {
  const std::string letters = "abcdef";
  if (first + count > x.rank() || part(x, first, count).volume() != to.volume() ||
      x.rank() - count + to.rank() > kMaxRank)
    throw ShapeError("reshape: x is " + to_string(x) + ", whose " + std::to_string(count) + " dimensions from " +
                     std::to_string(first) + " on cannot become " + to_string(to));
  const std::string head = letters.substr(0, first), tail = letters.substr(first, x.rank() - first - count);
  return Attrs::of(ReshapeAttrs{first, to}, head + std::string(kBefore.substr(0, count)) + tail + "->" + head +
                                                std::string(kAfter.substr(0, to.rank())) + tail);
}

const Op reshape{.name = "reshape",
                 .axes = {},
                 .operands = {{{"x"}, {"y"}}},
                 .flops = 0,
                 .extent = extent,
                 .grad = gradient,
                 .impls = {{gpu_impl<launch>(), {.name = "ref", .run = run}}},
                 .samples = samples};

}  // namespace pleiad
