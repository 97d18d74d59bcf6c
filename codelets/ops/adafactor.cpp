#include "codelets/ops/adafactor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "codelets/gpu/sum_parts.hpp"
#include "codelets/kernel.hpp"
#include "codelets/ops/squares.hpp"

namespace pleiad {
namespace {

template <class W>
W eps1_of(const AdafactorAttrs& a) {
  return a.eps1 > 0 ? static_cast<W>(a.eps1) : std::numeric_limits<W>::epsilon();
}
/// How far averages move in this step.
double pace(const Call& c) {
  return std::pow(static_cast<double>(c.step.number), c.attrs.as<AdafactorAttrs>().beta2_decay);
}

/// Rows and columns of a tile; everything before the last two dimensions is more matrices.
struct Matrices {
  Index count = 1, rows = 1, columns = 1;

  explicit Matrices(const Shape& s) : rows(s[s.rank() - 2]), columns(s.back()) { count = s.volume() / rows / columns; }
};

/// Operands g -> row, column.
struct Squares {
  template <class T>
  static void run(const Call& c) noexcept {
    using W = Wide<T>;
    const Matrices m(c[0].shape);
    const std::size_t rank = c[0].shape.rank();
    const W per_row = W(1) / static_cast<W>(c[0].whole[rank - 1]),
            per_column = W(1) / static_cast<W>(c[0].whole[rank - 2]);
    clear_unless_accumulating(c[2]);
    for (Index r = 0; r < m.count * m.rows; ++r) {
      const T* g = c[0].as<const T>() + r * m.columns;
      W* columns = c[2].as<W>() + r / m.rows * m.columns;
      put<W>(c[1], r, static_cast<W>(squares(g, m.columns)) * per_row);
#pragma omp simd
      for (Index j = 0; j < m.columns; ++j) {
        const W x = static_cast<W>(g[j]);
        columns[j] += x * x * per_column;
      }
    }
  }
};

/// Operands average, mean.
struct Average {
  template <class T>
  static void run(const Call& c) noexcept {
    using W = Wide<T>;
    const W pace_of_step = static_cast<W>(pace(c));
    T* average = c[0].as<T>();
    const T* mean = c[1].as<const T>();
#pragma omp simd
    for (Index i = 0; i < c[0].size(); ++i) {
      const W old = static_cast<W>(average[i]);
      store(average[i], old + pace_of_step * (static_cast<W>(mean[i]) - old));
    }
  }
};

/// Adds up p2 and u2, and u where it accumulates.
template <class T>
void put_update(const Call& c, const T* p, const Wide<T>* u, std::size_t output) noexcept {
  using W = Wide<T>;
  const Tile& y = c[output];
  if (y.accumulate) fill_elements<W>(y, [u](Index i) { return u[i]; });
  put<W>(c[output + 1], 0, static_cast<W>(squares(p, y.size())));
  put<W>(c[output + 2], 0, static_cast<W>(squares(u, y.size())));
}
template <class W>
W* update_of(const Tile& u) noexcept {
  return static_cast<W*>(u.accumulate ? scratch(u.bytes()) : u.data);
}

/// Operands g, row, column, row_mean, p -> u, p2, u2.
struct Update {
  template <class T>
  static void run(const Call& c) noexcept {
    using W = Wide<T>;
    const Matrices m(c[0].shape);
    const W eps = eps1_of<W>(c.attrs.as<AdafactorAttrs>()), least = eps * eps;
    W* u = update_of<W>(c[5]);
    for (Index r = 0; r < m.count * m.rows; ++r) {
      const Index matrix = r / m.rows;
      const T* g = c[0].as<const T>() + r * m.columns;
      const W* column = c[2].as<const W>() + matrix * m.columns;
      const W row = c[1].as<const W>()[r] / std::max(c[3].as<const W>()[matrix], eps);
      W* to = u + r * m.columns;
#pragma omp simd
      for (Index j = 0; j < m.columns; ++j) {
        const W variance = row * column[j];
        to[j] = static_cast<W>(g[j]) / std::sqrt(variance < least ? least : variance);
      }
    }
    put_update(c, c[4].as<const T>(), u, 5);
  }
};

/// Operands p, variance, g -> u, p2, u2.
struct Update1d {
  template <class T>
  static void run(const Call& c) noexcept {
    using W = Wide<T>;
    const W eps = eps1_of<W>(c.attrs.as<AdafactorAttrs>()), least = eps * eps, pace_of_step = static_cast<W>(pace(c));
    W *variance = c[1].as<W>(), *u = update_of<W>(c[3]);
    const T* g = c[2].as<const T>();
#pragma omp simd
    for (Index i = 0; i < c[0].size(); ++i) {
      const W gradient = static_cast<W>(g[i]), moved = variance[i] + pace_of_step * (gradient * gradient - variance[i]);
      variance[i] = moved;
      u[i] = gradient / std::sqrt(moved < least ? least : moved);
    }
    put_update(c, c[0].as<const T>(), u, 3);
  }
};

/// Operands p, u, p2, u2.
struct Adafactor {
  template <class T>
  static void run(const Call& c) noexcept {
    using W = Wide<T>;
    const auto a = c.attrs.as<AdafactorAttrs>();
    const auto rms = [&](std::size_t i) {
      return std::sqrt(static_cast<double>(*c[i].as<const W>()) / static_cast<double>(c[0].whole.volume()));
    };
    const double rate = std::min(c.step.lr, 1 / std::sqrt(static_cast<double>(c.step.number)));
    const W step = static_cast<W>(std::max(rms(2), a.eps2) * rate / std::max(rms(3) / a.d, 1.0));
    const W keep = static_cast<W>(1 - c.step.lr * a.weight_decay);
    T* p = c[0].as<T>();
    const W* u = c[1].as<const W>();
#pragma omp simd
    for (Index i = 0; i < c[0].size(); ++i) store(p[i], keep * static_cast<W>(p[i]) - step * u[i]);
  }
};

double eps1_on_gpu(const Call& c) {
  const auto a = c.attrs.as<AdafactorAttrs>();
  return c[0].dtype == DType::f64 ? eps1_of<double>(a) : static_cast<double>(eps1_of<float>(a));
}

void launch_squares(const Call& c, GpuQueue& q) {
  const Matrices m(c[0].shape);
  const Index rows = m.count * m.rows;
  const std::size_t rank = c[0].shape.rank();
  const DType dtype = c[0].dtype;
  q.run("adafactor_rows", dtype, grid_of_groups(groups_of_rows(rows), 256), c[0], c[1], rows, m.columns,
        c[1].accumulate, 1 / static_cast<double>(c[0].whole[rank - 1]));
  q.run("adafactor_columns", dtype, grid_of_elements(m.count * m.columns), c[0], c[2], m.count, m.rows, m.columns,
        c[2].accumulate, 1 / static_cast<double>(c[0].whole[rank - 2]));
}

void launch_average(const Call& c, GpuQueue& q) {
  q.run("adafactor_average", c[0].dtype, grid_of_elements(c[0].size()), c[0], c[1], c[0].size(), pace(c));
}

/// After u, whose sums lie in `parts`: both sums of squares.
void sum_on_gpu(const Call& c, GpuQueue& q, const Tile& p, const GpuGrid& grid, GpuMemory parts, std::size_t output) {
  sum_parts(q, p.dtype, parts, grid.groups[0], 1, c[output + 2]);
  q.run("sum_squares", p.dtype, grid, p, parts, p.size());
  sum_parts(q, p.dtype, parts, grid.groups[0], 1, c[output + 1]);
}

void launch_update(const Call& c, GpuQueue& q) {
  const Matrices m(c[0].shape);
  const Tile &g = c[0], &u = c[5];
  const GpuGrid grid = grid_of_elements(g.size());
  const GpuMemory parts = scratch_of_parts(q, g.dtype, grid.groups[0]);
  q.run("adafactor_update", g.dtype, grid, g, c[1], c[2], c[3], u, parts, g.size(), m.rows, m.columns, u.accumulate,
        eps1_on_gpu(c));
  sum_on_gpu(c, q, c[4], grid, parts, 5);
}

void launch_update_1d(const Call& c, GpuQueue& q) {
  const Tile &p = c[0], &u = c[3];
  const GpuGrid grid = grid_of_elements(p.size());
  const GpuMemory parts = scratch_of_parts(q, p.dtype, grid.groups[0]);
  q.run("adafactor_update_1d", p.dtype, grid, c[1], c[2], u, parts, p.size(), u.accumulate, pace(c), eps1_on_gpu(c));
  sum_on_gpu(c, q, p, grid, parts, 3);
}

/// How far the step may go, and what weight decay leaves.
double rate_of(const Call& c) { return std::min(c.step.lr, 1 / std::sqrt(static_cast<double>(c.step.number))); }
double kept(const Call& c) { return 1 - c.step.lr * c.attrs.as<AdafactorAttrs>().weight_decay; }

void launch(const Call& c, GpuQueue& q) {
  const auto a = c.attrs.as<AdafactorAttrs>();
  q.run("adafactor", c[0].dtype, grid_of_elements(c[0].size()), c[0], c[1], c[2], c[3], c[0].size(),
        static_cast<double>(c[0].whole.volume()), rate_of(c), kept(c), a.eps2, a.d);
}

const Attrs kAttrs = Attrs::of(AdafactorAttrs{.weight_decay = 0.1});

std::vector<Sample> squares_samples() { return {{.inputs = {{2, 4, 3}}, .attrs = kAttrs}}; }
std::vector<Sample> average_samples() { return {{.inputs = {{7}, {7}}, .attrs = kAttrs}}; }
std::vector<Sample> update_samples() {
  const std::vector<Domain> domains{Domain::normal, Domain::positive, Domain::positive, Domain::positive};
  return {{.inputs = {{7, 5}, {7}, {5}, {}, {7, 5}}, .attrs = kAttrs, .domains = domains},
          {.inputs = {{2, 4, 3}, {2, 4}, {2, 3}, {2}, {2, 4, 3}}, .attrs = kAttrs, .domains = domains}};
}
std::vector<Sample> update_1d_samples() {
  return {{.inputs = {{7}, {7}, {7}}, .attrs = kAttrs, .domains = {Domain::normal, Domain::positive}}};
}
std::vector<Sample> samples() {
  return {{.inputs = {{7, 5}, {7, 5}, {}, {}},
           .attrs = kAttrs,
           .domains = {Domain::normal, Domain::normal, Domain::positive, Domain::positive}}};
}

constexpr Operand wide(const char* name) { return {name, Element::wide}; }

}  // namespace

const Op adafactor_squares{.name = "adafactor_squares",
                           .axes = "...rc->...r,...c",
                           .operands = {{{"g"}, wide("row"), wide("column")}},
                           .flops = 5,
                           .impls = {{gpu_impl<launch_squares>(), cpu_impl<Squares>("ref")}},
                           .samples = squares_samples};
const Op adafactor_average{.name = "adafactor_average",
                           .axes = "&...,...->",
                           .operands = {{{"average"}, {"mean"}}},
                           .flops = 3,
                           .impls = {{gpu_impl<launch_average>(), cpu_impl<Average>("ref")}},
                           .samples = average_samples};
const Op adafactor_update{
    .name = "adafactor_update",
    .axes = "...rc,...r,...c,...,...rc->...rc,,",
    .operands = {{{"g"}, wide("row"), wide("column"), wide("row_mean"), {"p"}, wide("u"), wide("p2"), wide("u2")}},
    .flops = 8,
    .impls = {{gpu_impl<launch_update>(), cpu_impl<Update>("ref")}},
    .samples = update_samples};
const Op adafactor_update_1d{.name = "adafactor_update_1d",
                             .axes = "...,&...,...->...,,",
                             .operands = {{{"p"}, wide("variance"), {"g"}, wide("u"), wide("p2"), wide("u2")}},
                             .flops = 11,
                             .impls = {{gpu_impl<launch_update_1d>(), cpu_impl<Update1d>("ref")}},
                             .samples = update_1d_samples};
const Op adafactor{.name = "adafactor",
                   .axes = "&...,...,,->",
                   .operands = {{{"p"}, wide("u"), wide("p2"), wide("u2")}},
                   .flops = 3,
                   .impls = {{gpu_impl<launch>(), cpu_impl<Adafactor>("ref")}},
                   .samples = samples};

}  // namespace pleiad
