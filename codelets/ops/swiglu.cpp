#include "codelets/ops/swiglu.hpp"

#include "codelets/ops/gated.hpp"

namespace pleiad {
namespace {

struct Silu {
  template <class M, class T>
  static T value(T x) {
    return x * M::sigmoid(x);
  }
  template <class M, class T>
  static T slope(T x) {
    const T s = M::sigmoid(x);
    return s * (T(1) + x * (T(1) - s));
  }
};

void gradient(Grad& g) {
  const auto d = g.call(swiglu_grad, {g.x(0), g.x(1), g.dy()});
  for (int i = 0; i < 2; ++i) g.dx(i, d[static_cast<std::size_t>(i)]);
}

std::vector<Sample> samples() { return {{.inputs = {{7, 5}, {7, 5}}}}; }
std::vector<Sample> grad_samples() { return {{.inputs = {{7, 5}, {7, 5}, {7, 5}}}}; }

}  // namespace

const Op swiglu{.name = "swiglu",
                .axes = "...,...->...",
                .operands = {{{"gate"}, {"up"}, {"y"}}},
                .flops = 25,
                .grad = gradient,
                .impls = map_impls<Gated<Silu>, "swiglu">(),
                .samples = samples};
const Op swiglu_grad{.name = "swiglu_grad",
                     .axes = "...,...,...->...,...",
                     .operands = {{{"gate"}, {"up"}, {"dy"}, {"dgate"}, {"dup"}}},
                     .flops = 35,
                     .impls = gated_grad_impls<Silu, "swiglu_grad">(),
                     .samples = grad_samples};

}  // namespace pleiad
