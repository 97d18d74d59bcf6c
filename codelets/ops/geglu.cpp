#include "codelets/ops/geglu.hpp"

#include "codelets/ops/gated.hpp"

namespace pleiad {
namespace {

/// x (1 + tanh(u)) / 2, where (1 + tanh(u)) / 2 = sigmoid(2u).
struct GeluTanh {
  template <class M, class T>
  static T value(T x) {
    return x * M::sigmoid(twice_inner(x));
  }
  template <class M, class T>
  static T slope(T x) {
    const T s = M::sigmoid(twice_inner(x));
    return s + x * s * (T(1) - s) * T(2 * kSqrt2OverPi) * (T(1) + T(3) * T(kCubic) * x * x);
  }

 private:
  static constexpr double kSqrt2OverPi = 0.79788456080286535588, kCubic = 0.044715;
  template <class T>
  static T twice_inner(T x) {
    return T(2 * kSqrt2OverPi) * (x + T(kCubic) * x * x * x);
  }
};

void gradient(Grad& g) {
  const auto d = g.call(geglu_grad, {g.x(0), g.x(1), g.dy()});
  for (int i = 0; i < 2; ++i) g.dx(i, d[static_cast<std::size_t>(i)]);
}

std::vector<Sample> samples() { return {{.inputs = {{7, 5}, {7, 5}}}}; }
std::vector<Sample> grad_samples() { return {{.inputs = {{7, 5}, {7, 5}, {7, 5}}}}; }

}  // namespace

const Op geglu{.name = "geglu",
               .axes = "...,...->...",
               .operands = {{{"gate"}, {"up"}, {"y"}}},
               .flops = 31,
               .grad = gradient,
               .impls = map_impls<Gated<GeluTanh>, "geglu">(),
               .samples = samples};
const Op geglu_grad{.name = "geglu_grad",
                    .axes = "...,...,...->...,...",
                    .operands = {{{"gate"}, {"up"}, {"dy"}, {"dgate"}, {"dup"}}},
                    .flops = 45,
                    .impls = gated_grad_impls<GeluTanh, "geglu_grad">(),
                    .samples = grad_samples};

}  // namespace pleiad
