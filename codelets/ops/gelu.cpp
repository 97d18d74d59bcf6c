#include "codelets/ops/gelu.hpp"

#include "codelets/kernel.hpp"

namespace pleiad {
namespace {

constexpr double kSqrt2OverPi = 0.79788456080286535588, kCubic = 0.044715;

/// (1 + tanh(u)) / 2 = sigmoid(2u): one exponential, and exact where tanh(u) is near -1.
struct Gelu {
  template <class M, class T>
  static T f(T x) {
    constexpr T a = T(2 * kSqrt2OverPi), b = T(kCubic);
    return x * M::sigmoid(a * (x + b * x * x * x));
  }
};
struct GeluGrad {
  template <class M, class T>
  static T f(T x, T dy) {
    constexpr T a = T(2 * kSqrt2OverPi), b = T(kCubic);
    const T s = M::sigmoid(a * (x + b * x * x * x));
    return dy * (s + x * s * (T(1) - s) * a * (T(1) + T(3) * b * x * x));
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
