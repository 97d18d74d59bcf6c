#include "codelets/ops/pad2d.hpp"

#include <algorithm>

#include "codelets/kernel.hpp"

namespace pleiad {
namespace {

struct Pad {
  template <class T>
  static void run(const Call& c) noexcept {
    const auto a = c.attrs.as<PadAttrs>();
    const Shape &x = c[0].shape, &y = c[1].shape;
    for (Index n = 0; n < y[0]; ++n)
      for (Index p = 0; p < y[1]; ++p) {
        const Index h = p - a.top;
        const bool inside = h >= 0 && h < x[1];
        const T* row = inside ? c[0].as<const T>() + (n * x[1] + h) * x[2] * x[3] : nullptr;
        put_row<T>(c, a, (n * y[1] + p) * y[2] * y[3], row);
      }
  }

 private:
  /// Writes the row of y that starts at an element; x: the row that lies in it, or null.
  template <class T>
  static void put_row(const Call& c, const PadAttrs& a, Index first, const T* x) {
    const Index channels = c[1].shape[3], length = c[1].shape[2] * channels;
    const Index shift = a.left * channels, columns = x ? c[0].shape[2] * channels : 0;
    const Index begin = std::clamp<Index>(shift, 0, length), end = std::clamp(shift + columns, begin, length);
    Tile row = c[1];
    const auto stretch = [&](Index from, Index to, auto f) {
      row.data = c[1].as<T>() + first + from;
      row.shape = {to - from};
      fill_elements<T>(row, f);
    };
    const auto value = static_cast<Wide<T>>(a.value);
    const T* const inner = x ? x + (begin - shift) : nullptr;
    stretch(0, begin, [=](Index) { return value; });
    stretch(begin, end, [=](Index i) { return static_cast<Wide<T>>(inner[i]); });
    stretch(end, length, [=](Index) { return value; });
  }
};

void launch(const Call& c, GpuQueue& q) {
  const auto a = c.attrs.as<PadAttrs>();
  const Shape &x = c[0].shape, &y = c[1].shape;
  q.run("pad2d", c[0].dtype, grid_of_elements(c[1].size()), c[0], c[1], c[1].size(), x[1], x[2], y[1], y[2], y[3],
        Index{a.top}, Index{a.left}, a.value, c[1].accumulate);
}

Index extent(char axis, std::span<const Shape> in, const Attrs& attrs) {
  const auto a = attrs.as<PadAttrs>();
  const Index n = axis == 'P' ? in[0][1] + a.top + a.bottom : in[0][2] + a.left + a.right;
  if (n < 1) throw ShapeError("pad2d: x is " + to_string(in[0]) + ", and more than all of it is taken away");
  return n;
}

void gradient(Grad& g) {
  const auto a = g.attrs().as<PadAttrs>();
  const PadAttrs back{.top = -a.top, .bottom = -a.bottom, .left = -a.left, .right = -a.right};
  g.dx(0, g.call(pad2d, {g.dy()}, Attrs::of(back))[0]);
}

std::vector<Sample> samples() {
  return {{.inputs = {{3, 4, 3, 5}},
           .attrs = Attrs::of(PadAttrs{.top = 1, .bottom = 2, .left = 0, .right = 1, .value = 0.5})},
          {.inputs = {{2, 5, 4, 3}}, .attrs = Attrs::of(PadAttrs{.top = -1, .bottom = 1, .left = 2, .right = -3})}};
}

}  // namespace

const Op pad2d{.name = "pad2d",
               .axes = "nHWc->nPQc",
               .operands = {{{"x"}, {"y"}}},
               .over = "nPQc",
               .extent = extent,
               .grad = gradient,
               .impls = {gpu_impl<launch>(), cpu_impl<Pad>("ref")},
               .samples = samples};

}  // namespace pleiad
