#pragma once
#include <string_view>

#include "codelets/conv/slide.hpp"
#include "codelets/op.hpp"

namespace pleiad {

/// A two-dimensional convolution of channels-last images: x [batch, rows, cols, in], w [out, in / groups, R, S],
/// y [batch, P, Q, out].
struct Conv {
  DType dtype = DType::f32;
  Index batch = 1, in = 1, out = 1, groups = 1;
  Slide rows, cols;

  Index group_in() const { return in / groups; }
  Index group_out() const { return out / groups; }
  Index x_at(Index n, Index h, Index w) const { return ((n * rows.in + h) * cols.in + w) * in; }
  Index y_at(Index n, Index p, Index q) const { return ((n * rows.out + p) * cols.out + q) * out; }
  Index w_at(Index k, Index c, Index r, Index s) const {
    return ((k * group_in() + c) * rows.kernel + r) * cols.kernel + s;
  }

  friend auto operator<=>(const Conv&, const Conv&) = default;
};

/// The convolution of tiles that lie so, by the Conv2dAttrs of the call.
Conv conv_of(const Tile& x, const Tile& w, const Tile& y, const Attrs&);

/// Whether kernels of the tile's bias have something to add: those of the first tile of x along the channels.
inline bool adds_bias(const Tile& x) { return x.origin[3] == 0; }

/// How many places a window has along one direction (0: rows, 1: columns) of an image of `in` rows; throws ShapeError
/// if there is none.
Index conv_places(std::string_view op, const Attrs&, std::size_t direction, Index in, Index kernel);
/// The extent that the gradient rule noted in the attributes, of the image or of the window; throws ShapeError if it
/// does not go with the other one and the places of dy.
Index conv_noted_image(std::string_view op, const Attrs&, std::size_t direction, Index kernel, Index places);
Index conv_noted_window(std::string_view op, const Attrs&, std::size_t direction, Index in, Index places);

}  // namespace pleiad
