#include "codelets/ops/gru.hpp"

#include <algorithm>

#include "codelets/ops/einsum.hpp"
#include "codelets/ops/linear_dw.hpp"
#include "codelets/ops/previous_states.hpp"
#include "codelets/rnn/gpu_rows.hpp"
#include "codelets/rnn/gru_row.hpp"
#include "codelets/rnn/step_product.hpp"

namespace pleiad {
namespace {

Steps steps_of(const Call& c) {
  const Shape &x = c[0].shape, &w_hh = c[2].shape;
  return {.batch = x[0], .time = x[1], .in = x[2], .gates = w_hh[0], .hidden = w_hh[1]};
}

Steps steps_of_gradient(const Call& c) {
  const Shape &y = c[1].shape, &w_hh = c[3].shape;
  return {.batch = y[0], .time = y[1], .gates = w_hh[0], .hidden = w_hh[1]};
}

/// As hidden_gradient_product, but the state itself passes by the gates: what it got is there already.
Gemm state_gradient_product(const Steps& s, DType t) {
  Gemm g = hidden_gradient_product(s, t);
  g.accumulate = true;
  return g;
}

/// Operands x, w_ih, w_hh, b_ih, b_hh, h0 -> y, h_n, saved.
template <const GemmBackend& Backend, class M>
struct Forward {
  template <class T>
  static void run(const Call& c) noexcept {
    using W = Wide<T>;
    const Steps s = steps_of(c);
    const Index n = s.hidden, row = 4 * n;
    const Tile &y = c[6], &saved_tile = c[8];
    StepProduct product(Backend, hidden_product(s, y.dtype));
    const auto parts = scratch_parts<5>({product.bytes(), bytes_of<W>(s.batch * s.gates), bytes_of<W>(s.batch * n),
                                         bytes_of<T>(s.batch * n), saved_tile.accumulate ? saved_tile.bytes() : 0});
    auto *z = static_cast<W*>(parts[1]), *states = static_cast<W*>(parts[2]);
    auto* h = static_cast<T*>(parts[3]);
    auto* saved = static_cast<T*>(saved_tile.accumulate ? parts[4] : saved_tile.data);
    product.set_weights(c[2].data, parts[0]);
    get_row<T>(c[5], 0, s.batch * n, states);
    // What the inputs give to the gates goes where the gates will be.
    Backend.run(input_product(s, y.dtype, row), {c[0].data, c[1].data, saved, c[3].data});
    for (Index t = 0; t < s.time; ++t) {
      product.run(t == 0 ? c[5].data : h, z, c[4].data);
      for (Index b = 0; b < s.batch; ++b) {
        const Index at = b * s.time + t;
        T* gates = saved + at * row;
        W* state = states + b * n;
        gru_row<M>(n, gates, z + b * s.gates, gates, state);
        copy_row(n, state, h + b * n);
        put_row<T>(y, at * n, n, state);
      }
    }
    put_row<T>(c[7], 0, s.batch * n, h);
    if (saved_tile.accumulate) put_row<T>(saved_tile, 0, saved_tile.size(), saved);
  }
};

/// Operands saved, y, h0, w_hh, dy, dh_n -> dx_gates, dh_gates, dh0.
template <const GemmBackend& Backend>
struct Backward {
  template <class T>
  static void run(const Call& c) noexcept {
    using W = Wide<T>;
    const Steps s = steps_of_gradient(c);
    const Index n = s.hidden;
    StepProduct product(Backend, state_gradient_product(s, c[0].dtype));
    const auto parts = scratch_parts<4>(
        {product.bytes(), bytes_of<T>(s.batch * s.gates), bytes_of<W>(s.batch * n), bytes_of<W>(4 * n)});
    auto* dz = static_cast<T*>(parts[1]);
    auto *dh = static_cast<W*>(parts[2]), *row = static_cast<W*>(parts[3]);
    product.set_weights(c[3].data, parts[0]);
    get_row<T>(c[5], 0, s.batch * n, dh);
    for (Index t = s.time; t-- > 0;) {
      for (Index b = 0; b < s.batch; ++b) {
        const Index at = b * s.time + t;
        const T* before = t == 0 ? c[2].as<const T>() + b * n : c[1].as<const T>() + (at - 1) * n;
        add_row(n, c[4].as<const T>() + at * n, dh + b * n);
        gru_row_grad(n, c[0].as<const T>() + at * 4 * n, before, dh + b * n, row);
        put_row<T>(c[6], at * s.gates, s.gates, row);
        std::copy_n(row + 3 * n, n, row + 2 * n);
        put_row<T>(c[7], at * s.gates, s.gates, row);
        copy_row(s.gates, row, dz + b * s.gates);
      }
      product.run(dz, dh);
    }
    put_row<T>(c[8], 0, s.batch * n, dh);
  }
};

template <const GemmBackend& Backend>
bool forward_fits(const Call& c) {
  const Steps s = steps_of(c);
  return Backend.fits(input_product(s, c[0].dtype, 4 * s.hidden)) && Backend.fits(hidden_product(s, c[0].dtype));
}
template <const GemmBackend& Backend>
bool backward_fits(const Call& c) {
  return Backend.fits(state_gradient_product(steps_of_gradient(c), c[0].dtype));
}

/// Gates and states are read back from the outputs, which therefore must be plain.
bool gpu_fits(const Call& c) { return !c[6].accumulate && !c[8].accumulate; }

void launch(const Call& c, GpuQueue& q) {
  const Steps s = steps_of(c);
  const DType dtype = c[0].dtype;
  const Index n = s.hidden, row = 4 * n;
  const Tile &h0 = c[5], &y = c[6], &saved = c[8];
  const GpuMemory z = q.scratch(static_cast<std::size_t>(s.batch * s.gates) * size_of(dtype));
  run_gemm(q, dtype, gpu_gemm(input_product(s, dtype, row)), 1, 1,
           {{c[0].data}, {c[1].data}, {c[3].data}, {saved.data}, {saved.data}});
  for (Index t = 0; t < s.time; ++t) {
    const Tile& before = t == 0 ? h0 : y;
    step_product(q, dtype, hidden_product(s, dtype), {before.data}, s, t - 1, {c[2].data}, {c[4].data}, z);
    q.run("gru_cell", dtype, grid_of_elements(s.batch * n), saved, z, before, y, saved, s.batch, n,
          step_rows(s, t, row), gpu_rows(s.gates), t == 0 ? gpu_rows(n) : step_rows(s, t - 1, n), step_rows(s, t, n),
          step_rows(s, t, row));
  }
  copy_step(q, s, y, s.time - 1, n, 0, c[7]);
}

bool gpu_fits_gradient(const Call& c) { return !c[6].accumulate && !c[7].accumulate; }

void launch_gradient(const Call& c, GpuQueue& q) {
  const Steps s = steps_of_gradient(c);
  const DType dtype = c[0].dtype;
  const Index n = s.hidden, states = s.batch * n;
  const Tile &saved = c[0], &y = c[1], &h0 = c[2], &dy = c[4], &of_x = c[6], &of_h = c[7];
  const GpuMemory carried = q.scratch(static_cast<std::size_t>(states) * size_of(dtype));
  for (Index t = s.time; t-- > 0;) {
    const GpuMemory dh = t == s.time - 1 ? GpuMemory{c[5].data} : carried;
    q.run("gru_cell_grad", dtype, grid_of_elements(states), saved, t == 0 ? h0 : y, dy, dh, of_x, of_h, carried,
          s.batch, n, true, step_rows(s, t, 4 * n), t == 0 ? gpu_rows(n) : step_rows(s, t - 1, n), step_rows(s, t, n),
          gpu_rows(n), step_rows(s, t, s.gates), step_rows(s, t, s.gates), gpu_rows(n));
    step_product(q, dtype, state_gradient_product(s, dtype), {of_h.data}, s, t, {c[3].data}, carried, carried);
  }
  const GpuStrides at = gpu_part({states}, 0, 0, states);
  gpu_copy(q, dtype, carried, at, {c[8].data}, at, c[8].accumulate);
}

/// Of `saved`.
Index extent(char, std::span<const Shape> inputs, const Attrs&) {
  const Index gates = inputs[2][0], hidden = inputs[2][1];
  if (gates != 3 * hidden)
    throw ShapeError("gru: w_hh is " + to_string(inputs[2]) + "; its first dimension is 3 times its second");
  return 4 * hidden;
}

void gradient(Grad& g) {
  const auto back = g.call(gru_grad, {g.y(2), g.y(0), g.x(5), g.x(2), g.dy(0), g.dy(1)});
  const Sym of_x = back[0], of_h = back[1];
  g.dx(5, back[2]);
  if (g.wants(0)) g.dx(0, g.call(einsum, {of_x, g.x(1)}, Attrs("bTG,GI->bTI"))[0]);
  if (g.wants(1) || g.wants(3)) {
    const auto dw_db = g.call(linear_dw, {of_x, g.x(0)}, Attrs("bTG,bTI->GI,G"));
    g.dx(1, dw_db[0]);
    g.dx(3, dw_db[1]);
  }
  if (!g.wants(2) && !g.wants(4)) return;
  const Sym before = g.call(previous_states, {g.y(0), g.x(5)})[0];
  const auto dw_db = g.call(linear_dw, {of_h, before}, Attrs("bTG,bTH->GH,G"));
  g.dx(2, dw_db[0]);
  g.dx(4, dw_db[1]);
}

std::vector<Sample> samples() {
  return {{.inputs = {{5, 4, 3}, {6, 3}, {6, 2}, {6}, {6}, {5, 2}}},
          {.inputs = {{1, 1, 1}, {9, 1}, {9, 3}, {9}, {9}, {1, 3}}}};
}
std::vector<Sample> grad_samples() {
  return {{.inputs = {{5, 4, 8}, {5, 4, 2}, {5, 2}, {6, 2}, {5, 4, 2}, {5, 2}},
           .attrs = {},
           .domains = {Domain::positive}}};
}

}  // namespace

const Op gru{.name = "gru",
             .axes = "bTI,GI,GH,G,G,bH->bTH,bH,bTS",
             .operands = {{{"x"}, {"w_ih"}, {"w_hh"}, {"b_ih"}, {"b_hh"}, {"h0"}, {"y"}, {"h_n"}, {"saved"}}},
             .flops = 4,  // as if there were as many inputs as hidden elements
             .over = "bTGH",
             .extent = extent,
             .grad = gradient,
             .impls = {{gpu_impl<launch>("portable", gpu_fits),
                        cpu_impl<Forward<gemm_onednn, VectorMath>>("onednn", forward_fits<gemm_onednn>),
                        cpu_impl<Forward<gemm_openblas, VectorMath>>("openblas", forward_fits<gemm_openblas>),
                        cpu_impl<Forward<gemm_ref, StdMath>>("ref")}},
             .samples = samples};
const Op gru_grad{
    .name = "gru_grad",
    .axes = "bTS,bTH,bH,GH,bTH,bH->bTG,bTG,bH",
    .operands = {{{"saved"}, {"y"}, {"h0"}, {"w_hh"}, {"dy"}, {"dh_n"}, {"dx_gates"}, {"dh_gates"}, {"dh0"}}},
    .flops = 2,
    .over = "bTGH",
    .impls = {{gpu_impl<launch_gradient>("portable", gpu_fits_gradient),
               cpu_impl<Backward<gemm_onednn>>("onednn", backward_fits<gemm_onednn>),
               cpu_impl<Backward<gemm_openblas>>("openblas", backward_fits<gemm_openblas>),
               cpu_impl<Backward<gemm_ref>>("ref")}},
    .samples = grad_samples};

}  // namespace pleiad
