#include "codelets/ops/einsum.hpp"

#include <algorithm>

#include "codelets/blas/contract_simd.hpp"
#include "codelets/blas/permute.hpp"
#include "codelets/gpu/contract.hpp"
#include "codelets/gpu/gemm.hpp"

namespace pleiad {
namespace {

/// An axis that '...' stands for.
bool is_dot(char axis) { return axis >= '0' && axis <= '9'; }

/// One over the logical extents of the axes of the mean.
double scale_of(const Call& c) {
  const auto attrs = c.attrs.as<EinsumAttrs>();
  const std::string_view mean = attrs.mean;
  double scale = 1;
  for (char axis : c.signature.axes) {
    const bool dots = is_dot(axis) && mean.find("...") != mean.npos;
    if (dots || mean.find(axis) != mean.npos) scale /= static_cast<double>(whole_extent(axis, c.signature, c.tiles));
  }
  return scale;
}

Gemm gemm_of(const Call& c, const MatrixForm& form) {
  Gemm g = form.gemm;
  g.dtype = c[2].dtype;
  g.alpha = scale_of(c);
  g.accumulate = c[2].accumulate;
  return g;
}

template <const GemmBackend& Backend>
bool gemm_fits(const Call& c) {
  if (c.signature.inputs() != 2) return false;
  const MatrixForm form = matrix_form(Contraction(c.signature, c.tiles));
  return form.exists && Backend.fits(gemm_of(c, form));
}

template <const GemmBackend& Backend>
void run_gemm(const Call& c) noexcept {
  const MatrixForm form = matrix_form(Contraction(c.signature, c.tiles));
  const Gemm g = gemm_of(c, form);
  const auto size = static_cast<Index>(size_of(g.dtype));
  const auto at = [&](std::size_t i, const Offsets& o) { return c[i].as<char>() + o[i] * size; };
  for_each_turn(form.outer, form.outer.loops(), {}, g.accumulate, [&](const Offsets& o, bool again) {
    Gemm turn = g;
    turn.accumulate = again;
    Backend.run(turn, {at(form.swapped ? 1 : 0, o), at(form.swapped ? 0 : 1, o), at(2, o)});
  });
}

template <const GemmBackend& Backend>
constexpr Impl gemm_impl(const char* name) {
  return {.device = Device::cpu, .name = name, .run = run_gemm<Backend>, .fits = gemm_fits<Backend>};
}

template <class T>
Wide<T> product(const Call& c, const Offsets& at, std::size_t inputs) {
  Wide<T> p = 1;
  for (std::size_t i = 0; i < inputs; ++i) p *= get<T>(c[i], at[i]);
  return p;
}

struct Reference {
  template <class T>
  static void run(const Call& c) noexcept {
    const Contraction nest(c.signature, c.tiles);
    const auto loops = nest.loops();
    const auto outputs = static_cast<std::size_t>(
        std::ranges::find_if(loops, [&](const Loop& l) { return nest.summed(l); }) - loops.begin());
    const auto scale = static_cast<Wide<T>>(scale_of(c));
    const std::size_t n = nest.inputs();
    for_each_turn(nest, loops.first(outputs), {}, false, [&](const Offsets& y, bool) {
      Wide<T> sum = 0;
      for_each_turn(nest, loops.subspan(outputs), y, false,
                    [&](const Offsets& x, bool) { sum += product<T>(c, x, n); });
      put<T>(c[n], y[n], sum * scale);
    });
  }
};

struct Vectorised {
  template <class T>
  static void run(const Call& c) noexcept {
    contract_simd<T>(c, scale_of(c));
  }
};

struct Permuted {
  template <class T>
  static void run(const Call& c) noexcept {
    run_permutation<T>(c, *permutation_of(Contraction(c.signature, c.tiles)), scale_of(c));
  }
};
bool is_permutation(const Call& c) { return permutation_of(Contraction(c.signature, c.tiles)).has_value(); }

bool gpu_fits(const Call& c) { return gpu_can_contract(Contraction(c.signature, c.tiles)); }

void launch_products(const Call& c, GpuQueue& q, const MatrixForm& form) {
  const Gemm gemm = gemm_of(c, form);
  const Tile &a = c[form.swapped ? 1 : 0], &b = c[form.swapped ? 0 : 1];
  for_each_turn(form.outer, form.outer.loops(), {}, gemm.accumulate, [&](const Offsets& o, bool again) {
    GpuGemm g = gpu_gemm(gemm);
    g.a = o[form.swapped ? 1 : 0];
    g.b = o[form.swapped ? 0 : 1];
    g.c = o[2];
    g.accumulate = again;
    run_gemm(q, gemm.dtype, g, gemm.batch, gemm.alpha, {{a.data}, {b.data}, {b.data}, {c[2].data}, {c[2].data}});
  });
}

void launch(const Call& c, GpuQueue& q) {
  const Contraction contraction(c.signature, c.tiles);
  if (const MatrixForm form = matrix_form(contraction); form.exists)
    launch_products(c, q, form);
  else
    run_contraction(q, contraction, c.tiles, scale_of(c));
}

Index extent(char axis, std::span<const Shape>, const Attrs& attrs) {
  const auto e = attrs.as<EinsumAttrs>();
  const auto at = std::ranges::find(e.axes, axis);
  if (at == e.axes.end()) throw ShapeError(std::string("einsum: axis '") + axis + "' is in no input and has no extent");
  return e.extents[static_cast<std::size_t>(at - e.axes.begin())];
}

/// The gradient of input i is the other inputs times dy, summed to the axes of input i.
void grad_of_input(Grad& g, const LetterAxes& axes, std::size_t inputs, std::size_t i) {
  std::vector<Sym> args;
  std::string notation;
  for (std::size_t o = 0; o < inputs; ++o) {
    if (o == i) continue;
    args.push_back(g.x(static_cast<int>(o)));
    notation += axes[o] + ",";
  }
  args.push_back(g.dy());
  notation += axes[inputs];
  EinsumAttrs attrs{.mean = std::string_view(axes.letters(g.attrs().as<EinsumAttrs>().mean))};
  const Shape shape = g.shape(g.x(static_cast<int>(i)));
  std::size_t repeated = 0;
  for (std::size_t d = 0; d < shape.rank(); ++d) {
    if (notation.find(axes[i][d]) != notation.npos) continue;
    attrs.axes[repeated] = axes[i][d];
    attrs.extents[repeated++] = static_cast<std::int32_t>(shape[d]);
  }
  g.dx(static_cast<int>(i), g.call(einsum, args, Attrs::of(attrs, notation + "->" + axes[i]))[0]);
}

void gradient(Grad& g) {
  const LetterAxes axes(g.signature());
  const std::size_t inputs = g.signature().inputs();
  for (std::size_t i = 0; i < inputs; ++i)
    if (g.wants(static_cast<int>(i))) grad_of_input(g, axes, inputs, i);
}

std::vector<Sample> samples() {
  return {{.inputs = {{7, 5}, {5, 6}}, .attrs = einsum_attrs("ik,kj->ij")},
          {.inputs = {{5, 7}, {6, 5}}, .attrs = einsum_attrs("ki,jk->ij", "i")},
          {.inputs = {{2, 3, 4, 2}, {2, 5, 4}}, .attrs = einsum_attrs("btcr,bsc->btrs")},
          {.inputs = {{3, 4}, {4, 2}, {3, 2}}, .attrs = einsum_attrs("ij,jk,ik->j")},
          {.inputs = {{5, 4}}, .attrs = einsum_attrs("...->", "...")},
          {.inputs = {{2, 17, 19}}, .attrs = einsum_attrs("abc->acb")},
          {.inputs = {{4, 5}}, .attrs = einsum_attrs("ij->jki", {}, {{'k', 3}})}};
}

}  // namespace

Attrs einsum_attrs(std::string_view notation, std::string_view mean,
                   std::initializer_list<std::pair<char, Index>> extents) {
  EinsumAttrs e{.mean = mean};
  std::size_t i = 0;
  for (const auto& [axis, n] : extents) {
    e.axes[i] = axis;
    e.extents[i++] = static_cast<std::int32_t>(n);
  }
  return Attrs::of(e, notation);
}

LetterAxes::LetterAxes(const Signature& s) {
  const auto used = [&](char letter) { return s.axes.find(letter) != s.axes.npos; };
  const auto dots = static_cast<std::size_t>(std::ranges::count_if(s.axes, is_dot));
  for (char letter = 'a'; letter <= 'z' && dots_.size() < dots; ++letter)
    if (!used(letter) && !used(static_cast<char>(letter - 'a' + 'A'))) dots_ += letter;
  for (const OperandAxes& o : s.operands) operands_.push_back(letters(o.axes));
}

std::string LetterAxes::letters(std::string_view text) const {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("...")) {
      out += dots_;
      i += 2;
    } else {
      out += is_dot(text[i]) ? dots_[static_cast<std::size_t>(text[i] - '0')] : text[i];
    }
  }
  return out;
}

const Op einsum{.name = "einsum",
                .operands = {{{"a"}, {"b"}, {"c"}, {"y"}}},
                .flops = 2,
                .extent = extent,
                .grad = gradient,
                .impls = {{gpu_impl<launch>("portable", gpu_fits), gemm_impl<gemm_onednn_sgemm>("onednn_sgemm"),
                           gemm_impl<gemm_onednn>("onednn"), gemm_impl<gemm_openblas>("openblas"),
                           cpu_impl<Permuted>("blocked", is_permutation), cpu_impl<Vectorised>("simd"),
                           cpu_impl<Reference>("ref")}},
                .samples = samples};

}  // namespace pleiad
