#include "codelets/ops/gru_cell.hpp"

#include <algorithm>

#include "codelets/rnn/gpu_rows.hpp"
#include "codelets/rnn/gru_row.hpp"
#include "codelets/rnn/rows.hpp"

namespace pleiad {
namespace {

/// Operands x_gates, h_gates, h0 -> h, saved.
template <class M>
struct GruCell {
  template <class T>
  static void run(const Call& c) noexcept {
    using W = Wide<T>;
    const Index n = c[2].shape[1];
    const auto [saved, hidden] = rows<W>({4 * n, n});
    for (Index b = 0; b < c[2].shape[0]; ++b) {
      get_row<T>(c[2], b * n, n, hidden);
      gru_row<M>(n, c[0].as<const T>() + b * 3 * n, c[1].as<const T>() + b * 3 * n, saved, hidden);
      put_row<T>(c[3], b * n, n, hidden);
      put_row<T>(c[4], b * 4 * n, 4 * n, saved);
    }
  }
};

/// Operands saved, h0, dh -> dx_gates, dh_gates, dh0.
struct GruCellGrad {
  template <class T>
  static void run(const Call& c) noexcept {
    using W = Wide<T>;
    const Index n = c[1].shape[1];
    const auto [dz, dh] = rows<W>({4 * n, n});
    for (Index b = 0; b < c[1].shape[0]; ++b) {
      get_row<T>(c[2], b * n, n, dh);
      gru_row_grad(n, c[0].as<const T>() + b * 4 * n, c[1].as<const T>() + b * n, dh, dz);
      put_row<T>(c[3], b * 3 * n, 3 * n, dz);
      std::copy_n(dz + 3 * n, n, dz + 2 * n);
      put_row<T>(c[4], b * 3 * n, 3 * n, dz);
      put_row<T>(c[5], b * n, n, dh);
    }
  }
};

void launch(const Call& c, GpuQueue& q) {
  const Index rows = c[2].shape[0], n = c[2].shape[1];
  q.run("gru_cell", c[0].dtype, grid_of_elements(rows * n), c[0], c[1], c[2], c[3], c[4], rows, n, gpu_rows(3 * n),
        gpu_rows(3 * n), gpu_rows(n), gpu_rows(n, c[3].accumulate), gpu_rows(4 * n, c[4].accumulate));
}
void launch_gradient(const Call& c, GpuQueue& q) {
  const Index rows = c[1].shape[0], n = c[1].shape[1];
  q.run("gru_cell_grad", c[0].dtype, grid_of_elements(rows * n), c[0], c[1], c[2], c[2], c[3], c[4], c[5], rows, n,
        false, gpu_rows(4 * n), gpu_rows(n), gpu_rows(n), gpu_rows(n), gpu_rows(3 * n, c[3].accumulate),
        gpu_rows(3 * n, c[4].accumulate), gpu_rows(n, c[5].accumulate));
}

/// Of `saved`.
Index extent(char, std::span<const Shape> inputs, const Attrs&) {
  if (inputs[0][1] != 3 * inputs[2][1])
    throw ShapeError("gru_cell: x_gates is " + to_string(inputs[0]) + " and h0 " + to_string(inputs[2]) +
                     "; there are 3 gates for each hidden element");
  return 4 * inputs[2][1];
}

/// Of the gates of the gradient.
Index gates_extent(char, std::span<const Shape> inputs, const Attrs&) { return 3 * inputs[1][1]; }

void gradient(Grad& g) {
  const auto d = g.call(gru_cell_grad, {g.y(1), g.x(2), g.dy()});
  for (int i = 0; i < 3; ++i) g.dx(i, d[static_cast<std::size_t>(i)]);
}

std::vector<Sample> samples() { return {{.inputs = {{5, 9}, {5, 9}, {5, 3}}}, {.inputs = {{1, 3}, {1, 3}, {1, 1}}}}; }
std::vector<Sample> grad_samples() {
  return {{.inputs = {{5, 12}, {5, 3}, {5, 3}}, .attrs = {}, .domains = {Domain::positive}}};
}

}  // namespace

const Op gru_cell{
    .name = "gru_cell",
    .axes = "bG,bG,bH->bH,bS",
    .operands = {{{"x_gates"}, {"h_gates"}, {"h0"}, {"h"}, {"saved"}}},
    .flops = 45,
    .over = "bH",
    .extent = extent,
    .grad = gradient,
    .impls = {{gpu_impl<launch>(), cpu_impl<GruCell<VectorMath>>("simd"), cpu_impl<GruCell<StdMath>>("ref")}},
    .samples = samples};
const Op gru_cell_grad{.name = "gru_cell_grad",
                       .axes = "bS,bH,bH->bG,bG,bH",
                       .operands = {{{"saved"}, {"h0"}, {"dh"}, {"dx_gates"}, {"dh_gates"}, {"dh0"}}},
                       .flops = 20,
                       .over = "bH",
                       .extent = gates_extent,
                       .impls = {{gpu_impl<launch_gradient>(), cpu_impl<GruCellGrad>("ref")}},
                       .samples = grad_samples};

}  // namespace pleiad
