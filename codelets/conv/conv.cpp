#include "codelets/conv/conv.hpp"

#include <string>

#include "codelets/ops/conv2d.hpp"

namespace pleiad {
namespace {

Slide slide_of(const Conv2dAttrs& a, std::size_t d, Index in, Index kernel, Index out) {
  return {.in = in,
          .out = out,
          .kernel = kernel,
          .stride = a.stride[d],
          .padding = a.padding[d],
          .dilation = a.dilation[d]};
}

}  // namespace

Conv conv_of(const Tile& x, const Tile& w, const Tile& y, const Attrs& attrs) {
  const auto a = attrs.as<Conv2dAttrs>();
  return {.dtype = x.dtype,
          .batch = x.shape[0],
          .in = x.shape[3],
          .out = w.shape[0],
          .groups = a.groups,
          .rows = slide_of(a, 0, x.shape[1], w.shape[2], y.shape[1]),
          .cols = slide_of(a, 1, x.shape[2], w.shape[3], y.shape[2])};
}

Index conv_extent(std::string_view op, const Attrs& attrs, std::size_t d, Index in, Index kernel) {
  const auto a = attrs.as<Conv2dAttrs>();
  if (a.stride[d] < 1 || a.dilation[d] < 1 || a.padding[d] < 0)
    throw ShapeError(std::string(op) + ": stride " + std::to_string(a.stride[d]) + ", dilation " +
                     std::to_string(a.dilation[d]) + ", padding " + std::to_string(a.padding[d]) +
                     "; stride and dilation start at 1, padding at 0");
  const Slide s = slide_of(a, d, in, kernel, 0);
  if (s.places() > 0) return s.places();
  throw ShapeError(std::string(op) + ": w spans " + std::to_string(s.reach()) + " " + (d == 0 ? "rows" : "columns") +
                   ", but x with its padding has " + std::to_string(in + 2 * s.padding));
}

}  // namespace pleiad
