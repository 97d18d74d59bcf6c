#pragma once

namespace pleiad {

struct NormAttrs {
  double eps = 1e-5;  // added to the variance, or to the mean square
};

}  // namespace pleiad
