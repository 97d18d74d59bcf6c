#include "codelets/ops/bias_add.hpp"

#include "codelets/gpu/strides.hpp"
#include "codelets/kernel.hpp"
#include "codelets/ops/einsum.hpp"

namespace pleiad {
namespace {

/// How far apart neighbours along each dimension of x lie in the bias: 0 where it lacks the axis.
Shape bias_strides(const Call& c) {
  const std::string &of_x = c.signature.operands[0].axes, &of_bias = c.signature.operands[1].axes;
  Shape strides = c[0].shape;
  for (std::size_t d = 0; d < of_x.size(); ++d) {
    strides[d] = 0;
    const auto at = of_bias.find(of_x[d]);
    if (at == of_bias.npos) continue;
    strides[d] = 1;
    for (std::size_t e = at + 1; e < of_bias.size(); ++e) strides[d] *= c[1].shape[e];
  }
  return strides;
}

/// Place in the bias of the first element of a row of x.
Index bias_offset(const Shape& x, const Shape& strides, Index row) {
  Index offset = 0;
  for (std::size_t d = x.empty() ? 0 : x.rank() - 1; d-- > 0; row /= x[d]) offset += row % x[d] * strides[d];
  return offset;
}

struct BiasAdd {
  template <class T>
  static void run(const Call& c) noexcept {
    const Shape strides = bias_strides(c);
    const Index n = row_length(c[0]), stride = strides.empty() ? 0 : strides.back();
    Tile row = c[2];
    row.shape = {n};
    for (Index r = 0; r < c[0].size() / n; ++r) {
      const T *x = c[0].as<const T>() + r * n, *bias = c[1].as<const T>() + bias_offset(c[0].shape, strides, r);
      row.data = c[2].as<T>() + r * n;
      const auto at = [](const T* p, Index i) { return static_cast<Wide<T>>(p[i]); };
      if (stride == 1)
        fill_elements<T>(row, [=](Index i) { return at(x, i) + at(bias, i); });
      else
        fill_elements<T>(row, [=](Index i) { return at(x, i) + at(bias, i * stride); });
    }
  }
};

void launch(const Call& c, GpuQueue& q) {
  q.run("bias_add", c[0].dtype, grid_of_elements(c[0].size()), c[0], c[1], c[2], c[0].size(), c[2].accumulate,
        gpu_strides(c[0].shape, bias_strides(c)));
}

void gradient(Grad& g) {
  g.dx(0, g.dy());
  if (!g.wants(1)) return;
  const auto notation = g.attrs().axes.view();
  const auto comma = notation.find(','), arrow = notation.find("->");
  const auto x = notation.substr(0, comma), bias = notation.substr(comma + 1, arrow - comma - 1);
  g.dx(1, g.call(einsum, {g.dy()}, Attrs(std::string(x).append("->").append(bias)))[0]);
}

std::vector<Sample> samples() {
  return {{.inputs = {{7, 5}, {5}}, .attrs = Attrs("bo,o->bo")},
          {.inputs = {{3, 4, 5}, {5, 3}}, .attrs = Attrs("btc,cb->btc")},
          {.inputs = {{3, 4, 5}, {4}}, .attrs = Attrs("btc,t->btc")}};
}

}  // namespace

const Op bias_add{.name = "bias_add",
                  .axes = {},
                  .operands = {{{"x"}, {"bias"}, {"y"}}},
                  .grad = gradient,
                  .impls = {{gpu_impl<launch>(), cpu_impl<BiasAdd>("ref")}},
                  .samples = samples};

}  // namespace pleiad
