#include "codelets/ops/cast.hpp"

#include <bit>
#include <cmath>

#include "codelets/move/stretch.hpp"

namespace pleiad {
namespace {

/// x as a float whose rounding to bf16 is that of x: an inexact one is made odd, so that it is no tie.
float rounded_to_odd(double x) {
  const auto near = static_cast<float>(x);
  const auto bits = std::bit_cast<std::uint32_t>(near);
  const bool exact = static_cast<double>(near) == x || x != x || std::isinf(near);
  const std::uint32_t below = std::fabs(static_cast<double>(near)) > std::fabs(x) ? bits - 1 : bits;
  return std::bit_cast<float>(exact ? bits : below | 1u);
}

/// The number that `To` is rounded from.
template <class To, class From>
Wide<To> widened(From x) {
  if constexpr (std::is_same_v<To, Bf16> && std::is_same_v<From, double>)
    return rounded_to_odd(x);
  else
    return static_cast<Wide<To>>(static_cast<Wide<From>>(x));
}

void run(const Call& c) noexcept {
  with_dtype(c[0].dtype, [&]<class From>() {
    with_dtype(c[1].dtype, [&]<class To>() {
      const From* x = c[0].as<const From>();
      fill_elements<To>(c[1], [x](Index i) { return widened<To>(x[i]); });
    });
  });
}

/// Between f32 and bf16, or nothing to do but copy.
bool gpu_fits(const Call& c) { return c[0].dtype == c[1].dtype || wide_of(c[0].dtype) == wide_of(c[1].dtype); }

void launch(const Call& c, GpuQueue& q) {
  const Tile &x = c[0], &y = c[1];
  const GpuGrid grid = grid_of_elements(x.size());
  if (x.dtype == y.dtype) {
    const GpuStrides all = gpu_part({x.size()}, 0, 0, x.size());
    gpu_copy(q, x.dtype, {x.data}, all, {y.data}, all, y.accumulate);
  } else {
    q.run(x.dtype == DType::bf16 ? "widen" : "narrow", DType::bf16, grid, x, y, x.size(), y.accumulate);
  }
}

void gradient(Grad& g) { g.dx(0, g.call(cast, {g.dy()}, cast_attrs(g.dtype(g.x(0))))[0]); }

// To float64 alone: rounding has no derivative, so finite differences would see steps.
std::vector<Sample> samples() { return {{.inputs = {{7, 5}}, .attrs = cast_attrs(DType::f64)}}; }

}  // namespace

Attrs cast_attrs(DType to) {
  Attrs a;
  a.dtype = to;
  return a;
}

const Op cast{.name = "cast",
              .axes = "...->...",
              .operands = {{{"x"}, {"y", Element::attribute}}},
              .flops = 0,
              .grad = gradient,
              .impls = {{gpu_impl<launch>("portable", gpu_fits), {.name = "ref", .run = run}}},
              .samples = samples};

}  // namespace pleiad
