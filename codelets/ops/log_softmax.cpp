#include "codelets/ops/log_softmax.hpp"

#include <cmath>

#include "codelets/base/loops.hpp"
#include "codelets/ops/softmax_gpu.hpp"

namespace pleiad {
namespace {

template <class M>
struct LogSoftmax {
  template <class T>
  static void run(const Call& c) noexcept {
    using W = Wide<T>;
    const Index n = c[0].shape.back();
    W* const room = static_cast<W*>(scratch(static_cast<std::size_t>(n) * sizeof(W)));
    for (Index at = 0; at < c[0].size(); at += n) {
      const W* x = widened(c[0].as<const T>() + at, n, room);
      const W top = max_of<W>(n, [=](Index i) { return x[i]; });
      const W rest = std::log(sum_of<W>(n, [=](Index i) { return M::exp(x[i] - top); }));
      fill_row(c[1].as<T>() + at, n, c[1].accumulate, [=](Index i) { return (x[i] - top) - rest; });
    }
  }
};

/// y, dy -> dx.
template <class M>
struct LogSoftmaxGrad {
  template <class T>
  static void run(const Call& c) noexcept {
    using W = Wide<T>;
    const Index n = c[0].shape.back();
    W* const room = static_cast<W*>(scratch(static_cast<std::size_t>(2 * n) * sizeof(W)));
    for (Index at = 0; at < c[0].size(); at += n) {
      const W* y = widened(c[0].as<const T>() + at, n, room);
      const W* dy = widened(c[1].as<const T>() + at, n, room + n);
      const W sum = sum_of<W>(n, [=](Index i) { return dy[i]; });
      fill_row(c[2].as<T>() + at, n, c[2].accumulate, [=](Index i) { return dy[i] - M::exp(y[i]) * sum; });
    }
  }
};

void gradient(Grad& g) { g.dx(0, g.call(log_softmax_grad, {g.y(), g.dy()})[0]); }

std::vector<Sample> samples() { return {{.inputs = {{7, 5}}}, {.inputs = {{3, 2, 83}}}}; }
std::vector<Sample> grad_samples() { return {{.inputs = {{7, 5}, {7, 5}}}, {.inputs = {{3, 2, 83}, {3, 2, 83}}}}; }

}  // namespace

const Op log_softmax{.name = "log_softmax",
                     .axes = "...V->...V",
                     .operands = {{{"x"}, {"y"}}},
                     .flops = 23,
                     .grad = gradient,
                     .impls = {{gpu_impl<launch_rows<"softmax", true>>(), cpu_impl<LogSoftmax<VectorMath>>("simd"),
                                cpu_impl<LogSoftmax<StdMath>>("ref")}},
                     .samples = samples};
const Op log_softmax_grad{
    .name = "log_softmax_grad",
    .axes = "...V,...V->...V",
    .operands = {{{"y"}, {"dy"}, {"dx"}}},
    .flops = 23,
    .impls = {{gpu_impl<launch_rows<"softmax_grad", true>>(), cpu_impl<LogSoftmaxGrad<VectorMath>>("simd"),
               cpu_impl<LogSoftmaxGrad<StdMath>>("ref")}},
    .samples = grad_samples};

}  // namespace pleiad
