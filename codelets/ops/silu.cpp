#include "codelets/ops/silu.hpp"

#include "codelets/kernel.hpp"

namespace pleiad {
namespace {

struct Silu {
  template <class M, class T>
  static T f(T x) {
    return x * M::sigmoid(x);
  }
};
struct SiluGrad {
  template <class M, class T>
  static T f(T x, T dy) {
    const T s = M::sigmoid(x);
    return dy * s * (T(1) + x * (T(1) - s));
  }
};

void gradient(Grad& g) { g.dx(0, g.call(silu_grad, {g.x(0), g.dy()})[0]); }

std::vector<Sample> samples() { return {{.inputs = {{7, 5}}}}; }
std::vector<Sample> grad_samples() { return {{.inputs = {{7, 5}, {7, 5}}}}; }

}  // namespace

const Op silu{.name = "silu",
              .axes = "...->...",
              .operands = {{{"x"}, {"y"}}},
              .flops = 24,
              .grad = gradient,
              .impls = map_impls<Silu, "silu">(),
              .samples = samples};
const Op silu_grad{.name = "silu_grad",
                   .axes = "...,...->...",
                   .operands = {{{"x"}, {"dy"}, {"dx"}}},
                   .flops = 28,
                   .impls = map_impls<SiluGrad, "silu_grad">(),
                   .samples = grad_samples};

}  // namespace pleiad
