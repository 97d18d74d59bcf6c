#pragma once
#include <vector>

#include "codelets/conv/slide.hpp"

namespace pleiad {

/// Neighbouring rows (or columns): [begin, end).
struct Span {
  Index begin = 0, end = 0;
};

/// What pooling windows cover along one direction, place by place, and the other way round. Begins and ends never fall.
struct Spans {
  std::vector<Span> covered;  // by place: rows of the image under the window
  std::vector<Span> places;   // by row of the image: the windows that it is under
  std::vector<Index> extent;  // by place: extent of the window that a mean divides by

  /// Places with the rows that they cover, in an image of `in` rows.
  Spans(Index in, std::vector<Span> rows);
};

/// Windows of a Slide, cut at the borders of the image. `count_padding`: means divide by the whole window.
Spans sliding_spans(const Slide&, bool count_padding);
/// `out` windows of nearly equal size that cover `in` rows, as PyTorch's adaptive pooling has them.
Spans adaptive_spans(Index in, Index out);

}  // namespace pleiad
