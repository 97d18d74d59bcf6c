#include "codelets/ops/relu.hpp"

#include "codelets/kernel.hpp"

namespace pleiad {
namespace {

// Comparisons let NaN through, so that a diverged run is noticed.
struct Relu {
  template <class M, class T>
  static T f(T x) {
    return x < 0 ? T(0) : x;
  }
};
struct ReluGrad {
  template <class M, class T>
  static T f(T y, T dy) {
    return y <= 0 ? T(0) : dy;
  }
};

void gradient(Grad& g) { g.dx(0, g.call(relu_grad, {g.y(), g.dy()})[0]); }

std::vector<Sample> samples() { return {{.inputs = {{7, 5}}, .domains = {Domain::separated}}}; }
std::vector<Sample> grad_samples() { return {{.inputs = {{7, 5}, {7, 5}}, .domains = {Domain::separated}}}; }

}  // namespace

const Op relu{.name = "relu",
              .axes = "...->...",
              .operands = {{{"x"}, {"y"}}},
              .grad = gradient,
              .impls = map_ref<Relu, "relu">(),
              .samples = samples};
const Op relu_grad{.name = "relu_grad",
                   .axes = "...,...->...",
                   .operands = {{{"y"}, {"dy"}, {"dx"}}},
                   .impls = map_ref<ReluGrad, "relu_grad">(),
                   .samples = grad_samples};

}  // namespace pleiad
