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

Index noted(const Attrs& attrs, std::size_t d) { return attrs.as<Conv2dAttrs>().extents[d]; }

void check_places(std::string_view op, std::size_t d, Index got, Index wanted) {
  if (got == wanted) return;
  throw ShapeError(std::string(op) + ": dy has " + std::to_string(got) + (d == 0 ? " rows" : " columns") +
                   ", but the attributes of the call make " + std::to_string(wanted));
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

Index conv_places(std::string_view op, const Attrs& attrs, std::size_t d, Index in, Index kernel) {
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

Index conv_noted_image(std::string_view op, const Attrs& attrs, std::size_t d, Index kernel, Index places) {
  check_places(op, d, places, conv_places(op, attrs, d, noted(attrs, d), kernel));
  return noted(attrs, d);
}

Index conv_noted_window(std::string_view op, const Attrs& attrs, std::size_t d, Index in, Index places) {
  check_places(op, d, places, conv_places(op, attrs, d, in, noted(attrs, d)));
  return noted(attrs, d);
}

}  // namespace pleiad
