#pragma once
#include "codelets/op.hpp"

namespace pleiad {

struct AdafactorAttrs {
  double beta2_decay = -0.8, eps1 = 0, eps2 = 1e-3, d = 1, weight_decay = 0;  // eps1 0: that of the wide dtype
};

// PyTorch's Adafactor (Shazeer and Stern 2018), which keeps the mean squares of rows and columns instead of those of
// elements, in phases that need no whole parameter in one tile. Rows and columns are the last two dimensions.
// Statistics and updates are of the wide dtype, and start at 0. Attributes: AdafactorAttrs. Not differentiable.

/// Mean squares of the rows and columns of g.
extern const Op adafactor_squares;
/// Moves an average towards these means by step^beta2_decay.
extern const Op adafactor_average;
/// u = g / sqrt(row col / row_mean), row_mean being the mean of `row`; and the sums of squares of p and u.
extern const Op adafactor_update;
/// The same for a parameter without rows: squares, their average and u.
extern const Op adafactor_update_1d;
/// p -= lr weight_decay p, then p -= max(eps2, rms(p)) min(lr, 1 / sqrt(step)) u / max(1, rms(u) / d).
extern const Op adafactor;

}  // namespace pleiad
