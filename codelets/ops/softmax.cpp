#include "codelets/ops/softmax.hpp"

#include "codelets/base/loops.hpp"
#include "codelets/ops/softmax_gpu.hpp"

namespace pleiad {
namespace {

template <class M>
struct Softmax {
  template <class T>
  static void run(const Call& c) noexcept {
    using W = Wide<T>;
    const Index n = c[0].shape.back();
    W* const room = static_cast<W*>(scratch(static_cast<std::size_t>(n) * sizeof(W)));
    for (Index at = 0; at < c[0].size(); at += n) {
      const W* x = widened(c[0].as<const T>() + at, n, room);
      const W top = max_of<W>(n, [=](Index i) { return x[i]; });
      T* const y = c[1].as<T>() + at;
      W* const e = exponentials(y, c[1].accumulate, room);
      const W sum = sum_of<W>(n, [=](Index i) { return e[i] = M::exp(x[i] - top); }), factor = 1 / sum;
      fill_row(y, n, c[1].accumulate, [=](Index i) { return e[i] * factor; });
    }
  }

 private:
  /// Where they are kept: in y itself if it can hold them.
  template <class T>
  static Wide<T>* exponentials(T* y, bool accumulate, Wide<T>* room) noexcept {
    if constexpr (std::is_same_v<T, Wide<T>>)
      return accumulate ? room : y;
    else
      return room;
  }
};

/// y, dy -> dx.
template <class Sum>
struct SoftmaxGrad {
  template <class T>
  static void run(const Call& c) noexcept {
    using W = Wide<T>;
    const Index n = c[0].shape.back();
    W* const room = static_cast<W*>(scratch(static_cast<std::size_t>(2 * n) * sizeof(W)));
    for (Index at = 0; at < c[0].size(); at += n) {
      const W* y = widened(c[0].as<const T>() + at, n, room);
      const W* dy = widened(c[1].as<const T>() + at, n, room + n);
      const W sum = Sum::template of<W>(n, [=](Index i) { return y[i] * dy[i]; });
      fill_row(c[2].as<T>() + at, n, c[2].accumulate, [=](Index i) { return y[i] * (dy[i] - sum); });
    }
  }
};

void gradient(Grad& g) { g.dx(0, g.call(softmax_grad, {g.y(), g.dy()})[0]); }

std::vector<Sample> samples() { return {{.inputs = {{7, 5}}}, {.inputs = {{3, 2, 83}}}}; }
std::vector<Sample> grad_samples() { return {{.inputs = {{7, 5}, {7, 5}}}, {.inputs = {{3, 2, 83}, {3, 2, 83}}}}; }

}  // namespace

const Op softmax{.name = "softmax",
                 .axes = "...V->...V",
                 .operands = {{{"x"}, {"y"}}},
                 .flops = 23,
                 .grad = gradient,
                 .impls = {{gpu_impl<launch_rows<"softmax", false>>(), cpu_impl<Softmax<VectorMath>>("simd"),
                            cpu_impl<Softmax<StdMath>>("ref")}},
                 .samples = samples};
const Op softmax_grad{.name = "softmax_grad",
                      .axes = "...V,...V->...V",
                      .operands = {{{"y"}, {"dy"}, {"dx"}}},
                      .flops = 4,
                      .impls = {{gpu_impl<launch_rows<"softmax_grad", false>>(),
                                 cpu_impl<SoftmaxGrad<VectorSum>>("simd"), cpu_impl<SoftmaxGrad<PlainSum>>("ref")}},
                      .samples = grad_samples};

}  // namespace pleiad
