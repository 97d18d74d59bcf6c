#include "codelets/ops/linear.hpp"

#include <algorithm>

#include "codelets/blas/gemm.hpp"
#include "codelets/gpu/gemm.hpp"
#include "codelets/kernel.hpp"
#include "codelets/ops/einsum.hpp"
#include "codelets/ops/gelu.hpp"
#include "codelets/ops/linear_dw.hpp"
#include "codelets/ops/relu.hpp"
#include "codelets/ops/silu.hpp"

namespace pleiad {
namespace {

Activation activation_of(const Attrs& attrs) { return attrs.as<LinearAttrs>().activation; }

/// The op that makes y from z in a pass of its own; null where the product can do it.
const Op* pass_of(Activation a) { return a == Activation::gelu ? &gelu : a == Activation::silu ? &silu : nullptr; }

const Impl& fastest_on_cpu(const Op& op) { return *std::ranges::find(op.impls, Device::cpu, &Impl::device); }

/// The product is one matrix product as the operands lie, and its sums are whole: bias and activation come once.
void check_notation(const Signature& s) noexcept {
  const std::string &x = s.operands[0].axes, &w = s.operands[1].axes, &b = s.operands[2].axes;
  const auto inner = w.starts_with(b) ? w.substr(b.size()) : std::string();
  const bool whole = std::ranges::all_of(inner, Signature::whole);
  const auto batch = x.substr(0, x.size() - std::min(x.size(), inner.size()));
  if (inner.empty() || !whole || x != batch + inner || s.operands[3].axes != batch + b)
    fatal("linear: notation " + x + "," + w + "," + b + "->" + s.operands[3].axes + "; it must be like bI,oI,o->bo");
}

/// Where x w^T + b goes: z if there is one, else y.
const Tile& product_tile(const Call& c) { return c.tiles.back(); }

/// The product as if it accumulated nothing: what follows it needs its plain values.
Gemm gemm_of(const Call& c) {
  const Index k = c[1].size() / c[2].size();
  return {.dtype = c[0].dtype,
          .m = c[0].size() / k,
          .n = c[2].size(),
          .k = k,
          .a_row = k,
          .a_col = 1,
          .b_row = 1,
          .b_col = k,
          .c_row = c[2].size(),
          .bias = true,
          .relu = activation_of(c.attrs) == Activation::relu};
}

template <class T>
void add_values(const Tile& y, const T* values) noexcept {
  fill_elements<T>(y, [=](Index i) { return static_cast<Wide<T>>(values[i]); });
}

template <const GemmBackend& Backend>
void run(const Call& c) noexcept {
  check_notation(c.signature);
  Tile z = product_tile(c);
  if (z.accumulate) z.data = scratch(z.bytes());
  Backend.run(gemm_of(c), {c[0].data, c[1].data, z.data, c[2].data});
  if (const Op* pass = pass_of(activation_of(c.attrs))) {
    const Tile tiles[] = {z, c[3]};
    fastest_on_cpu(*pass).run({.tiles = tiles, .attrs = {}, .signature = c.signature, .step = c.step});
  }
  if (z.accumulate)
    with_dtype(z.dtype, [&]<class T>() { add_values<T>(product_tile(c), static_cast<const T*>(z.data)); });
}

template <const GemmBackend& Backend>
constexpr Impl impl(const char* name) {
  return {.name = name, .run = run<Backend>, .fits = [](const Call& c) { return Backend.fits(gemm_of(c)); }};
}

void launch(const Call& c, GpuQueue& q) {
  check_notation(c.signature);
  const Tile &y = c[3], &z = product_tile(c);
  GpuGemm g = gpu_gemm(gemm_of(c));
  g.activation = static_cast<int>(activation_of(c.attrs));
  g.accumulate = y.accumulate;
  g.keep = c.tiles.size() > 4;
  g.keep_accumulates = z.accumulate;
  run_gemm(q, c[0].dtype, g, 1, 1, {{c[0].data}, {c[1].data}, {c[2].data}, {y.data}, {z.data}});
}

/// Gradient of the product, before the bias and the weight.
Sym product_gradient(Grad& g) {
  switch (activation_of(g.attrs())) {
    case Activation::relu:
      return g.call(relu_grad, {g.y(), g.dy()})[0];
    case Activation::gelu:
      return g.call(gelu_grad, {g.y(1), g.dy()})[0];
    case Activation::silu:
      return g.call(silu_grad, {g.y(1), g.dy()})[0];
    default:
      return g.dy();
  }
}

void gradient(Grad& g) {
  const LetterAxes axes(g.signature());
  const std::string &x = axes[0], &w = axes[1], &b = axes[2], &y = axes[3];
  const Sym dz = product_gradient(g);
  if (g.wants(0)) g.dx(0, g.call(einsum, {dz, g.x(1)}, einsum_attrs(y + "," + w + "->" + x))[0]);
  if (!g.wants(1) && !g.wants(2)) return;
  const auto dw_db = g.call(linear_dw, {dz, g.x(0)}, Attrs(y + "," + x + "->" + w + "," + b));
  g.dx(1, dw_db[0]);
  g.dx(2, dw_db[1]);
}

Sample sample(Shape x, Shape w, Shape b, std::string_view notation, Activation activation) {
  return {.inputs = {x, w, b}, .attrs = Attrs::of(LinearAttrs{activation}, notation)};
}

std::vector<Sample> samples() {
  return {sample({7, 5}, {6, 5}, {6}, "bI,oI,o->bo", Activation::none),
          sample({7, 5}, {6, 5}, {6}, "bI,oI,o->bo", Activation::relu),
          sample({7, 5}, {6, 5}, {6}, "bI,oI,o->bo,bo", Activation::gelu),
          sample({3, 2, 5}, {6, 5}, {6}, "btI,oI,o->bto,bto", Activation::silu),
          sample({1, 1}, {1, 1}, {1}, "...I,oI,o->...o", Activation::relu)};
}

}  // namespace

const Op linear{.name = "linear",
                .operands = {{{"x"}, {"w"}, {"b"}, {"y"}, {"z"}}},
                .flops = 2,
                .grad = gradient,
                .impls = {{gpu_impl<launch>(), impl<gemm_onednn>("onednn"), impl<gemm_onednn_sgemm>("onednn_sgemm"),
                           impl<gemm_openblas>("openblas"), impl<gemm_ref>("ref")}},
                .samples = samples};

}  // namespace pleiad
