#include "codelets/ops/lstm_cell.hpp"

#include "codelets/rnn/gpu_rows.hpp"
#include "codelets/rnn/lstm_row.hpp"
#include "codelets/rnn/rows.hpp"

namespace pleiad {
namespace {

/// Operands x_gates, h_gates, c0 -> h, c, saved.
template <class M>
struct LstmCell {
  template <class T>
  static void run(const Call& c) noexcept {
    using W = Wide<T>;
    const Index n = c[2].shape[1];
    const auto [gates, cell, hidden] = rows<W>({4 * n, n, n});
    for (Index b = 0; b < c[2].shape[0]; ++b) {
      get_row<T>(c[2], b * n, n, cell);
      lstm_row<M>(n, c[0].as<const T>() + b * 4 * n, c[1].as<const T>() + b * 4 * n, gates, cell, hidden);
      put_row<T>(c[3], b * n, n, hidden);
      put_row<T>(c[4], b * n, n, cell);
      put_row<T>(c[5], b * 4 * n, 4 * n, gates);
    }
  }
};

/// Operands saved, c0, c, dh, dc -> dz, dc0.
template <class M>
struct LstmCellGrad {
  template <class T>
  static void run(const Call& c) noexcept {
    using W = Wide<T>;
    const Index n = c[1].shape[1];
    const auto [dz, dh, dc] = rows<W>({4 * n, n, n});
    for (Index b = 0; b < c[1].shape[0]; ++b) {
      const auto row = [&](std::size_t i) { return c[i].as<const T>() + b * n; };
      get_row<T>(c[3], b * n, n, dh);
      get_row<T>(c[4], b * n, n, dc);
      lstm_row_grad<M>(n, c[0].as<const T>() + b * 4 * n, row(2), row(1), dh, dc, dz);
      put_row<T>(c[5], b * 4 * n, 4 * n, dz);
      put_row<T>(c[6], b * n, n, dc);
    }
  }
};

void launch(const Call& c, GpuQueue& q) {
  const Index rows = c[2].shape[0], n = c[2].shape[1];
  q.run("lstm_cell", c[0].dtype, grid_of_elements(rows * n), c[0], c[1], c[2], c[3], c[4], c[5], rows, n,
        gpu_rows(4 * n), gpu_rows(4 * n), gpu_rows(n), gpu_rows(n, c[3].accumulate), gpu_rows(n, c[4].accumulate),
        gpu_rows(4 * n, c[5].accumulate));
}
void launch_gradient(const Call& c, GpuQueue& q) {
  const Index rows = c[1].shape[0], n = c[1].shape[1];
  const GpuRows row = gpu_rows(n);
  q.run("lstm_cell_grad", c[0].dtype, grid_of_elements(rows * n), c[0], c[1], c[2], c[3], c[3], c[4], c[5], c[6], rows,
        n, false, gpu_rows(4 * n), row, row, row, row, row, gpu_rows(4 * n, c[5].accumulate),
        gpu_rows(n, c[6].accumulate));
}

/// Of `saved`.
Index extent(char, std::span<const Shape> inputs, const Attrs&) {
  if (inputs[0][1] != 4 * inputs[2][1])
    throw ShapeError("lstm_cell: x_gates is " + to_string(inputs[0]) + " and c0 " + to_string(inputs[2]) +
                     "; there are 4 gates for each hidden element");
  return inputs[0][1];
}

void gradient(Grad& g) {
  const auto d = g.call(lstm_cell_grad, {g.y(2), g.x(2), g.y(1), g.dy(0), g.dy(1)});
  g.dx(0, d[0]);
  g.dx(1, d[0]);
  g.dx(2, d[1]);
}

std::vector<Sample> samples() { return {{.inputs = {{5, 12}, {5, 12}, {5, 3}}}, {.inputs = {{1, 4}, {1, 4}, {1, 1}}}}; }
std::vector<Sample> grad_samples() {
  return {{.inputs = {{5, 12}, {5, 3}, {5, 3}, {5, 3}, {5, 3}}, .attrs = {}, .domains = {Domain::positive}}};
}

}  // namespace

const Op lstm_cell{
    .name = "lstm_cell",
    .axes = "bG,bG,bH->bH,bH,bS",
    .operands = {{{"x_gates"}, {"h_gates"}, {"c0"}, {"h"}, {"c"}, {"saved"}}},
    .flops = 70,
    .over = "bH",
    .extent = extent,
    .grad = gradient,
    .impls = {{gpu_impl<launch>(), cpu_impl<LstmCell<VectorMath>>("simd"), cpu_impl<LstmCell<StdMath>>("ref")}},
    .samples = samples};
const Op lstm_cell_grad{.name = "lstm_cell_grad",
                        .axes = "bS,bH,bH,bH,bH->bS,bH",
                        .operands = {{{"saved"}, {"c0"}, {"c"}, {"dh"}, {"dc"}, {"dz"}, {"dc0"}}},
                        .flops = 40,
                        .over = "bH",
                        .impls = {{gpu_impl<launch_gradient>(), cpu_impl<LstmCellGrad<VectorMath>>("simd"),
                                   cpu_impl<LstmCellGrad<StdMath>>("ref")}},
                        .samples = grad_samples};

}  // namespace pleiad
