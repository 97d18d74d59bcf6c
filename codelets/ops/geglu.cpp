#include "codelets/ops/geglu.hpp"

#include "codelets/ops/gated.hpp"

namespace pleiad {
namespace {

struct GeluTanh {
  template <class M, class T>
  static T value(T x) {
    return T(0.5) * x * (T(1) + M::tanh(inner(x)));
  }
  template <class M, class T>
  static T slope(T x) {
    const T t = M::tanh(inner(x));
    return T(0.5) * (T(1) + t + x * (T(1) - t * t) * T(kSqrt2OverPi) * (T(1) + T(3) * T(kCubic) * x * x));
  }

 private:
  static constexpr double kSqrt2OverPi = 0.79788456080286535588, kCubic = 0.044715;
  template <class T>
  static T inner(T x) {
    return T(kSqrt2OverPi) * (x + T(kCubic) * x * x * x);
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
               .impls = map_impls<Gated<GeluTanh>>(),
               .samples = samples};
const Op geglu_grad{.name = "geglu_grad",
                    .axes = "...,...,...->...,...",
                    .operands = {{{"gate"}, {"up"}, {"dy"}, {"dgate"}, {"dup"}}},
                    .flops = 45,
                    .impls = gated_grad_impls<GeluTanh>(),
                    .samples = grad_samples};

}  // namespace pleiad
