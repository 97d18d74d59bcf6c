#include "codelets/ops/gelu.hpp"

#include "codelets/kernel.hpp"

namespace pleiad {
namespace {

constexpr double kSqrt2OverPi = 0.79788456080286535588, kCubic = 0.044715;

struct Gelu {
  template <class M, class T>
  static T f(T x) {
    constexpr T a = T(kSqrt2OverPi), b = T(kCubic);
    return T(0.5) * x * (T(1) + M::tanh(a * (x + b * x * x * x)));
  }
};
struct GeluGrad {
  template <class M, class T>
  static T f(T x, T dy) {
    constexpr T a = T(kSqrt2OverPi), b = T(kCubic);
    const T t = M::tanh(a * (x + b * x * x * x));
    return dy * T(0.5) * (T(1) + t + x * (T(1) - t * t) * a * (T(1) + T(3) * b * x * x));
  }
};

void gradient(Grad& g) { g.dx(0, g.call(gelu_grad, {g.x(0), g.dy()})[0]); }

std::vector<Sample> samples() { return {{.inputs = {{7, 5}}}}; }
std::vector<Sample> grad_samples() { return {{.inputs = {{7, 5}, {7, 5}}}}; }

}  // namespace

const Op gelu{.name = "gelu",
              .axes = "...->...",
              .operands = {{{"x"}, {"y"}}},
              .flops = 30,
              .grad = gradient,
              .impls = map_impls<Gelu, "gelu">(),
              .samples = samples};
const Op gelu_grad{.name = "gelu_grad",
                   .axes = "...,...->...",
                   .operands = {{{"x"}, {"dy"}, {"dx"}}},
                   .flops = 40,
                   .impls = map_impls<GeluGrad, "gelu_grad">(),
                   .samples = grad_samples};

}  // namespace pleiad
