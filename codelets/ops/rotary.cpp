#include "codelets/ops/rotary.hpp"

#include <cmath>
#include <numbers>

#include "codelets/base/gpu_arguments.h"
#include "codelets/kernel.hpp"

namespace pleiad {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;

Index half_size(const Tile& x) noexcept {
  const Index size = row_length(x);
  if (size % 2 != 0) fatal("rotary: the head size is " + std::to_string(size) + "; it must be even");
  return size / 2;
}

/// Cosines and sines of one token's angles, `half` each.
template <class W>
struct Turn {
  const W *cos, *sin;
};

/// The angle of pair i at position 1.
double frequency(const RotaryAttrs& a, Index i, Index half) {
  return (a.inverse ? -1 : 1) * std::pow(a.base, -static_cast<double>(i) / static_cast<double>(half));
}

/// Each angle by itself.
struct Exact {
  template <class W>
  static void fill(const RotaryAttrs& a, Index position, Index tokens, Index half, W* table, double*) {
    for (Index t = 0; t < tokens; ++t, table += 2 * half)
      for (Index i = 0; i < half; ++i) {
        const double angle = static_cast<double>(position + t) * frequency(a, i, half);
        table[i] = static_cast<W>(std::cos(angle));
        table[half + i] = static_cast<W>(std::sin(angle));
      }
  }
};

/// Turns one position further from token to token, in double; exact ones in between keep rounding from adding up.
struct Stepwise {
  static constexpr Index kExactEvery = 64;

  template <class W>
  static void fill(const RotaryAttrs& a, Index position, Index tokens, Index half, W* table, double* state) {
    double *now = state, *step = state + 2 * half;
    Exact::fill(a, 1, 1, half, step, nullptr);
    for (Index t = 0; t < tokens; ++t, table += 2 * half) {
      if (t == 0 || (position + t) % kExactEvery == 0)
        Exact::fill(a, position + t, 1, half, now, nullptr);
      else
        advance(now, step, half);
#pragma omp simd
      for (Index i = 0; i < 2 * half; ++i) table[i] = static_cast<W>(now[i]);
    }
  }

 private:
  static void advance(double* now, const double* step, Index half) {
#pragma omp simd
    for (Index i = 0; i < half; ++i) {
      const double cos = now[i] * step[i] - now[half + i] * step[half + i];
      now[half + i] = now[half + i] * step[i] + now[i] * step[half + i];
      now[i] = cos;
    }
  }
};

template <class Table>
struct Rotary {
  template <class T>
  static void run(const Call& c) noexcept {
    using W = Wide<T>;
    const Tile& x = c[0];
    const Index tokens = x.shape[1], half = half_size(x), size = 2 * half;
    const Index heads = x.size() / (x.shape[0] * tokens * size);
    auto* state = static_cast<double*>(scratch(static_cast<std::size_t>(4 * half) * sizeof(double) +
                                               static_cast<std::size_t>(tokens * size) * sizeof(W)));
    W* table = reinterpret_cast<W*>(state + 4 * half);
    Table::fill(c.attrs.as<RotaryAttrs>(), x.origin[1], tokens, half, table, state);
    for (Index row = 0; row < x.shape[0] * tokens * heads; ++row) {
      const W* turn = table + row / heads % tokens * size;
      turn_row<T>(c, row * size, half, {turn, turn + half});
    }
  }

 private:
  template <class T>
  static void turn_row(const Call& c, Index first, Index half, const Turn<Wide<T>>& turn) {
    using W = Wide<T>;
    const T *a = c[0].as<const T>() + first, *b = a + half;
    const W *cos = turn.cos, *sin = turn.sin;
    Tile y = c[1];
    y.shape = {half};
    y.data = c[1].as<T>() + first;
    fill_elements<T>(y, [=](Index i) { return static_cast<W>(a[i]) * cos[i] - static_cast<W>(b[i]) * sin[i]; });
    y.data = c[1].as<T>() + first + half;
    fill_elements<T>(y, [=](Index i) { return static_cast<W>(b[i]) * cos[i] + static_cast<W>(a[i]) * sin[i]; });
  }
};

/// Kernels take the angles of so many pairs at a time.
void launch(const Call& c, GpuQueue& q) {
  const Tile& x = c[0];
  const Index tokens = x.shape[1], half = half_size(x), rows = x.size() / (2 * half);
  for (Index first = 0; first < half; first += GPU_ANGLES) {
    const Index pairs = std::min<Index>(GPU_ANGLES, half - first);
    GpuAngles angles{};
    for (Index i = 0; i < pairs; ++i)
      angles.turn[i] =
          static_cast<Index>(std::ldexp(frequency(c.attrs.as<RotaryAttrs>(), first + i, half) / kTurn, 64));
    q.run("rotary", x.dtype, grid_of_elements(rows * pairs), x, c[1], angles, rows, rows / (x.shape[0] * tokens),
          tokens, x.origin[1], first, pairs, half, c[1].accumulate);
  }
}

void gradient(Grad& g) {
  auto a = g.attrs().as<RotaryAttrs>();
  a.inverse = !a.inverse;
  g.dx(0, g.call(rotary, {g.dy()}, Attrs::of(a))[0]);
}

std::vector<Sample> samples() {
  return {{.inputs = {{2, 7, 3, 6}}, .attrs = Attrs::of(RotaryAttrs{})},
          {.inputs = {{1, 70, 1, 2}}, .attrs = Attrs::of(RotaryAttrs{.base = 100, .inverse = true})}};
}

}  // namespace

const Op rotary{.name = "rotary",
                .axes = "bt...D->bt...D",
                .operands = {{{"x"}, {"y"}}},
                .flops = 3,
                .grad = gradient,
                .impls = {{gpu_impl<launch>(), cpu_impl<Rotary<Stepwise>>("simd"), cpu_impl<Rotary<Exact>>("ref")}},
                .samples = samples};

}  // namespace pleiad
