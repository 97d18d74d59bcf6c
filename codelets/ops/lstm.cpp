#include "codelets/ops/lstm.hpp"

#include "codelets/ops/einsum.hpp"
#include "codelets/ops/linear_dw.hpp"
#include "codelets/ops/previous_states.hpp"
#include "codelets/rnn/gpu_rows.hpp"
#include "codelets/rnn/lstm_row.hpp"
#include "codelets/rnn/step_product.hpp"

namespace pleiad {
namespace {

Steps steps_of(const Call& c) {
  const Shape &x = c[0].shape, &w_hh = c[2].shape;
  return {.batch = x[0], .time = x[1], .in = x[2], .gates = w_hh[0], .hidden = w_hh[1]};
}

Steps steps_of_gradient(const Call& c) {
  const Shape &dy = c[3].shape, &w_hh = c[2].shape;
  return {.batch = dy[0], .time = dy[1], .gates = w_hh[0], .hidden = w_hh[1]};
}

/// Operands x, w_ih, w_hh, b_ih, b_hh, h0, c0 -> y, h_n, c_n, saved.
template <const GemmBackend& Backend, class M>
struct Forward {
  template <class T>
  static void run(const Call& c) noexcept {
    using W = Wide<T>;
    const Steps s = steps_of(c);
    const Index n = s.hidden, row = 5 * n;
    const Tile &y = c[7], &saved_tile = c[10];
    StepProduct product(Backend, hidden_product(s, y.dtype));
    const auto parts =
        scratch_parts<6>({product.bytes(), bytes_of<W>(s.batch * s.gates), bytes_of<W>(s.batch * n),
                          bytes_of<T>(s.batch * n), bytes_of<W>(n), saved_tile.accumulate ? saved_tile.bytes() : 0});
    auto *z = static_cast<W*>(parts[1]), *cells = static_cast<W*>(parts[2]), *hidden = static_cast<W*>(parts[4]);
    auto* h = static_cast<T*>(parts[3]);
    auto* saved = static_cast<T*>(saved_tile.accumulate ? parts[5] : saved_tile.data);
    product.set_weights(c[2].data, parts[0]);
    get_row<T>(c[6], 0, s.batch * n, cells);
    // What the inputs give to the gates goes where the gates will be.
    Backend.run(input_product(s, y.dtype, row), {c[0].data, c[1].data, saved, c[3].data});
    for (Index t = 0; t < s.time; ++t) {
      product.run(t == 0 ? c[5].data : h, z, c[4].data);
      for (Index b = 0; b < s.batch; ++b) {
        const Index at = b * s.time + t;
        T* gates = saved + at * row;
        W* cell = cells + b * n;
        lstm_row<M>(n, gates, z + b * s.gates, gates, cell, hidden);
        copy_row(n, cell, gates + 4 * n);
        copy_row(n, hidden, h + b * n);
        put_row<T>(y, at * n, n, hidden);
      }
    }
    put_row<T>(c[8], 0, s.batch * n, h);
    put_row<T>(c[9], 0, s.batch * n, cells);
    if (saved_tile.accumulate) put_row<T>(saved_tile, 0, saved_tile.size(), saved);
  }
};

/// Operands saved, c0, w_hh, dy, dh_n, dc_n -> dz, dh0, dc0.
template <const GemmBackend& Backend, class M>
struct Backward {
  template <class T>
  static void run(const Call& c) noexcept {
    using W = Wide<T>;
    const Steps s = steps_of_gradient(c);
    const Index n = s.hidden;
    StepProduct product(Backend, hidden_gradient_product(s, c[0].dtype));
    const auto parts = scratch_parts<5>({product.bytes(), bytes_of<T>(s.batch * s.gates), bytes_of<W>(s.batch * n),
                                         bytes_of<W>(s.batch * n), bytes_of<W>(s.gates)});
    auto* dz = static_cast<T*>(parts[1]);
    auto *dh = static_cast<W*>(parts[2]), *dc = static_cast<W*>(parts[3]), *row = static_cast<W*>(parts[4]);
    product.set_weights(c[2].data, parts[0]);
    get_row<T>(c[4], 0, s.batch * n, dh);
    get_row<T>(c[5], 0, s.batch * n, dc);
    for (Index t = s.time; t-- > 0;) {
      for (Index b = 0; b < s.batch; ++b) {
        const Index at = b * s.time + t;
        const T* saved = c[0].as<const T>() + at * 5 * n;
        const T* before = t == 0 ? c[1].as<const T>() + b * n : saved - n;  // the step before ends with its cells
        add_row(n, c[3].as<const T>() + at * n, dh + b * n);
        lstm_row_grad<M>(n, saved, saved + 4 * n, before, dh + b * n, dc + b * n, row);
        copy_row(s.gates, row, dz + b * s.gates);
        put_row<T>(c[6], at * s.gates, s.gates, row);
      }
      product.run(dz, dh);
    }
    put_row<T>(c[7], 0, s.batch * n, dh);
    put_row<T>(c[8], 0, s.batch * n, dc);
  }
};

template <const GemmBackend& Backend>
bool forward_fits(const Call& c) {
  const Steps s = steps_of(c);
  return Backend.fits(input_product(s, c[0].dtype, 5 * s.hidden)) && Backend.fits(hidden_product(s, c[0].dtype));
}
template <const GemmBackend& Backend>
bool backward_fits(const Call& c) {
  return Backend.fits(hidden_gradient_product(steps_of_gradient(c), c[0].dtype));
}

/// Gates, cells and states are read back from the outputs, which therefore must be plain.
bool gpu_fits(const Call& c) { return !c[7].accumulate && !c[10].accumulate; }

void launch(const Call& c, GpuQueue& q) {
  const Steps s = steps_of(c);
  const DType dtype = c[0].dtype;
  const Index n = s.hidden, row = 5 * n;
  const Tile &h0 = c[5], &c0 = c[6], &y = c[7], &saved = c[10];
  const GpuMemory z = q.scratch(static_cast<std::size_t>(s.batch * s.gates) * size_of(dtype));
  run_gemm(q, dtype, gpu_gemm(input_product(s, dtype, row)), 1, 1,
           {{c[0].data}, {c[1].data}, {c[3].data}, {saved.data}, {saved.data}});
  for (Index t = 0; t < s.time; ++t) {
    const bool first = t == 0;
    step_product(q, dtype, hidden_product(s, dtype), {first ? h0.data : y.data}, s, t - 1, {c[2].data}, {c[4].data}, z);
    GpuRows cells = step_rows(s, t, row), before = first ? gpu_rows(n) : step_rows(s, t - 1, row);
    cells.start += 4 * n;
    if (!first) before.start += 4 * n;
    q.run("lstm_cell", dtype, grid_of_elements(s.batch * n), saved, z, first ? c0 : saved, y, saved, saved, s.batch, n,
          step_rows(s, t, row), gpu_rows(s.gates), before, step_rows(s, t, n), cells, step_rows(s, t, row));
  }
  copy_step(q, s, y, s.time - 1, n, 0, c[8]);
  copy_step(q, s, saved, s.time - 1, row, 4 * n, c[9]);
}

bool gpu_fits_gradient(const Call& c) { return !c[6].accumulate; }

void launch_gradient(const Call& c, GpuQueue& q) {
  const Steps s = steps_of_gradient(c);
  const DType dtype = c[0].dtype;
  const Index n = s.hidden, row = 5 * n, states = s.batch * n;
  const Tile &saved = c[0], &c0 = c[1], &dy = c[3], &dz = c[6];
  // Gradients of the state, then of the cell.
  const GpuMemory carried = q.scratch(static_cast<std::size_t>(2 * states) * size_of(dtype));
  const GpuRows dc_at{states, n, false, 0};
  for (Index t = s.time; t-- > 0;) {
    const bool first = t == 0, last = t == s.time - 1;
    GpuRows cells = step_rows(s, t, row), before = first ? gpu_rows(n) : step_rows(s, t - 1, row);
    cells.start += 4 * n;
    if (!first) before.start += 4 * n;
    const GpuMemory dh = last ? GpuMemory{c[4].data} : carried, dc = last ? GpuMemory{c[5].data} : carried;
    q.run("lstm_cell_grad", dtype, grid_of_elements(states), saved, first ? c0 : saved, saved, dy, dh, dc, dz, carried,
          s.batch, n, true, step_rows(s, t, row), before, cells, step_rows(s, t, n), gpu_rows(n),
          last ? gpu_rows(n) : dc_at, step_rows(s, t, s.gates), dc_at);
    step_product(q, dtype, hidden_gradient_product(s, dtype), {dz.data}, s, t, {c[2].data}, carried, carried);
  }
  GpuStrides at = gpu_part({states}, 0, 0, states);
  gpu_copy(q, dtype, carried, at, {c[7].data}, at, c[7].accumulate);
  gpu_copy(q, dtype, carried, gpu_part({2 * states}, 0, states, states), {c[8].data}, at, c[8].accumulate);
}

/// Of `saved`.
Index extent(char, std::span<const Shape> inputs, const Attrs&) {
  const Index gates = inputs[2][0], hidden = inputs[2][1];
  if (gates != 4 * hidden)
    throw ShapeError("lstm: w_hh is " + to_string(inputs[2]) + "; its first dimension is 4 times its second");
  return 5 * hidden;
}

void gradient(Grad& g) {
  const auto back = g.call(lstm_grad, {g.y(3), g.x(6), g.x(2), g.dy(0), g.dy(1), g.dy(2)});
  const Sym dz = back[0];
  g.dx(5, back[1]);
  g.dx(6, back[2]);
  if (g.wants(0)) g.dx(0, g.call(einsum, {dz, g.x(1)}, Attrs("bTG,GI->bTI"))[0]);
  if (g.wants(1)) g.dx(1, g.call(einsum, {dz, g.x(0)}, Attrs("bTG,bTI->GI"))[0]);
  if (!g.wants(2) && !g.wants(3) && !g.wants(4)) return;
  const Sym before = g.call(previous_states, {g.y(0), g.x(5)})[0];
  const auto dw_db = g.call(linear_dw, {dz, before}, Attrs("bTG,bTH->GH,G"));
  g.dx(2, dw_db[0]);
  g.dx(3, dw_db[1]);
  g.dx(4, dw_db[1]);
}

std::vector<Sample> samples() {
  return {{.inputs = {{5, 4, 3}, {8, 3}, {8, 2}, {8}, {8}, {5, 2}, {5, 2}}},
          {.inputs = {{1, 1, 1}, {12, 1}, {12, 3}, {12}, {12}, {1, 3}, {1, 3}}}};
}
std::vector<Sample> grad_samples() {
  return {
      {.inputs = {{5, 4, 10}, {5, 2}, {8, 2}, {5, 4, 2}, {5, 2}, {5, 2}}, .attrs = {}, .domains = {Domain::positive}}};
}

}  // namespace

const Op lstm{
    .name = "lstm",
    .axes = "bTI,GI,GH,G,G,bH,bH->bTH,bH,bH,bTS",
    .operands = {{{"x"}, {"w_ih"}, {"w_hh"}, {"b_ih"}, {"b_hh"}, {"h0"}, {"c0"}, {"y"}, {"h_n"}, {"c_n"}, {"saved"}}},
    .flops = 4,  // as if there were as many inputs as hidden elements
    .over = "bTGH",
    .extent = extent,
    .grad = gradient,
    .impls = {{gpu_impl<launch>("portable", gpu_fits),
               cpu_impl<Forward<gemm_onednn, VectorMath>>("onednn", forward_fits<gemm_onednn>),
               cpu_impl<Forward<gemm_openblas, VectorMath>>("openblas", forward_fits<gemm_openblas>),
               cpu_impl<Forward<gemm_ref, StdMath>>("ref")}},
    .samples = samples};
const Op lstm_grad{.name = "lstm_grad",
                   .axes = "bTS,bH,GH,bTH,bH,bH->bTG,bH,bH",
                   .operands = {{{"saved"}, {"c0"}, {"w_hh"}, {"dy"}, {"dh_n"}, {"dc_n"}, {"dz"}, {"dh0"}, {"dc0"}}},
                   .flops = 2,
                   .over = "bTGH",
                   .impls = {{gpu_impl<launch_gradient>("portable", gpu_fits_gradient),
                              cpu_impl<Backward<gemm_onednn, VectorMath>>("onednn", backward_fits<gemm_onednn>),
                              cpu_impl<Backward<gemm_openblas, VectorMath>>("openblas", backward_fits<gemm_openblas>),
                              cpu_impl<Backward<gemm_ref, StdMath>>("ref")}},
                   .samples = grad_samples};

}  // namespace pleiad
