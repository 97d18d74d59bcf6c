#include "codelets/ops/batch_norm.hpp"

#include <cmath>
#include <limits>

#include "codelets/norm/columns.hpp"
#include "codelets/norm/columns_gpu.hpp"
#include "codelets/ops/batch_norm_stats.hpp"

namespace pleiad {
namespace {

// The operands of all ops here begin with x, mean, square, weight, bias. In training, `square` is the sum of squared
// deviations over all rows of the batch, else the variance.

double rows_of_batch(const Call& c) {
  return static_cast<double>(c[0].whole.volume()) / static_cast<double>(c[0].whole.back());
}

/// What x becomes in one channel: scale x + shift.
struct Channel {
  double mean, rstd, scale, shift;
};
template <class W>
Channel channel_of(const Call& c, Index k, double rows) {
  const auto at = [&](std::size_t operand) { return static_cast<double>(get<W>(c[operand], k)); };
  const double rstd = 1 / std::sqrt(at(2) / rows + c.attrs.as<BatchNormAttrs>().eps), scale = rstd * at(3);
  return {.mean = at(1), .rstd = rstd, .scale = scale, .shift = at(4) - at(1) * scale};
}

/// What y is at least.
template <class W>
W floor_of(const Call& c) {
  return c.attrs.as<BatchNormAttrs>().relu ? W(0) : -std::numeric_limits<W>::infinity();
}

/// Scale and shift of the channels, repeated up to the period.
template <class W>
struct Line {
  W *scale, *shift;

  Line(const Call& c, const Columns& columns, double rows, Rooms& rooms)
      : scale(rooms.take<W>(columns.room())), shift(rooms.take<W>(columns.room())) {
    for (Index k = 0; k < columns.channels; ++k) {
      const Channel channel = channel_of<W>(c, k, rows);
      scale[k] = static_cast<W>(channel.scale);
      shift[k] = static_cast<W>(channel.shift);
    }
    columns.repeat(scale);
    columns.repeat(shift);
  }
};

/// Gradient of y before relu: function of the number of the element and of its place in the period.
template <class T, class W>
auto gradient_before_relu(const Call& c, const Tile& dy, const Line<W>& line) {
  return [x = c[0].as<const T>(), dy = dy.as<const T>(), line, floor = floor_of<W>(c)](Index i, Index j) {
    return line.scale[j] * static_cast<W>(x[i]) + line.shift[j] <= floor ? W(0) : static_cast<W>(dy[i]);
  };
}

template <bool training>
struct Elemt {
  template <class T>
  static void run(const Call& c) noexcept {
    using W = Wide<T>;
    const Columns columns(c[3].size());
    Rooms rooms(2 * columns.room() * sizeof(W));
    const Line<W> line(c, columns, training ? rows_of_batch(c) : 1, rooms);
    const W floor = floor_of<W>(c);
    const T* x = c[0].as<const T>();
    columns.fill(c[5].as<T>(), c[5].size(), c[5].accumulate, [=](Index i, Index j) {
      const W y = line.scale[j] * static_cast<W>(x[i]) + line.shift[j];
      return y < floor ? floor : y;
    });
  }
};

template <bool training>
struct ElemtRef {
  template <class T>
  static void run(const Call& c) noexcept {
    using W = Wide<T>;
    const Index channels = c[3].size();
    for (Index i = 0; i < c[0].size(); ++i) {
      const Channel channel = channel_of<W>(c, i % channels, training ? rows_of_batch(c) : 1);
      const W y = static_cast<W>(channel.scale * static_cast<double>(get<T>(c[0], i)) + channel.shift);
      put<T>(c[5], i, y < floor_of<W>(c) ? W(0) : y);
    }
  }
};

/// ..., dy -> dweight, dbias.
struct BackwardReduce {
  template <class T>
  static void run(const Call& c) noexcept {
    using W = Wide<T>;
    const Columns columns(c[3].size());
    const auto channels = static_cast<std::size_t>(columns.channels);
    Rooms rooms(2 * channels * sizeof(double) + 4 * columns.room() * sizeof(W));
    auto* const sums = rooms.take<double>(2 * channels);
    std::fill_n(sums, 2 * channels, 0);
    const double rows = rows_of_batch(c);
    const Line<W> line(c, columns, rows, rooms);
    W *mean = rooms.take<W>(columns.room()), *room = rooms.take<W>(columns.room());
    std::copy_n(c[1].as<const W>(), channels, mean);
    columns.repeat(mean);
    add_gradients(columns, c[0].as<const T>(), c[0].size(), mean, gradient_before_relu<T>(c, c[5], line), sums, room);
    for (Index k = 0; k < columns.channels; ++k) {
      put<W>(c[6], k, static_cast<W>(sums[columns.channels + k] * channel_of<W>(c, k, rows).rstd));
      put<W>(c[7], k, static_cast<W>(sums[k]));
    }
  }
};

struct BackwardReduceRef {
  template <class T>
  static void run(const Call& c) noexcept {
    using W = Wide<T>;
    const Index channels = c[3].size();
    for (Index k = 0; k < channels; ++k) {
      const Channel channel = channel_of<W>(c, k, rows_of_batch(c));
      double dweight = 0, dbias = 0;
      for (Index i = k; i < c[0].size(); i += channels) {
        const auto x = static_cast<double>(get<T>(c[0], i)), dy = static_cast<double>(get<T>(c[5], i));
        if (static_cast<W>(channel.scale * x + channel.shift) <= floor_of<W>(c)) continue;
        dbias += dy;
        dweight += dy * (x - channel.mean) * channel.rstd;
      }
      put<W>(c[6], k, static_cast<W>(dweight));
      put<W>(c[7], k, static_cast<W>(dbias));
    }
  }
};

/// dx = scale (dz - dbias / rows - (x - mean) rstd dweight / rows) = scale dz + slope x + shift.
struct Backward {
  double slope, shift;
};
template <class W>
Backward backward_of(const Call& c, const Channel& channel, Index k, double rows) {
  const double dweight = static_cast<double>(get<W>(c[5], k)), dbias = static_cast<double>(get<W>(c[6], k));
  const double slope = -channel.scale * channel.rstd * dweight / rows;
  return {.slope = slope, .shift = -channel.scale * dbias / rows - slope * channel.mean};
}

/// ..., dweight, dbias, dy -> dx.
struct BackwardElemt {
  template <class T>
  static void run(const Call& c) noexcept {
    using W = Wide<T>;
    const Columns columns(c[3].size());
    Rooms rooms(4 * columns.room() * sizeof(W));
    const double rows = rows_of_batch(c);
    const Line<W> line(c, columns, rows, rooms);
    W *slope = rooms.take<W>(columns.room()), *shift = rooms.take<W>(columns.room());
    for (Index k = 0; k < columns.channels; ++k) {
      const Backward b = backward_of<W>(c, channel_of<W>(c, k, rows), k, rows);
      slope[k] = static_cast<W>(b.slope);
      shift[k] = static_cast<W>(b.shift);
    }
    columns.repeat(slope);
    columns.repeat(shift);
    const T* x = c[0].as<const T>();
    const auto dz = gradient_before_relu<T>(c, c[7], line);
    columns.fill(c[8].as<T>(), c[8].size(), c[8].accumulate, [=](Index i, Index j) {
      return line.scale[j] * dz(i, j) + (slope[j] * static_cast<W>(x[i]) + shift[j]);
    });
  }
};

struct BackwardElemtRef {
  template <class T>
  static void run(const Call& c) noexcept {
    using W = Wide<T>;
    const Index channels = c[3].size();
    for (Index i = 0; i < c[0].size(); ++i) {
      const Channel channel = channel_of<W>(c, i % channels, rows_of_batch(c));
      const Backward b = backward_of<W>(c, channel, i % channels, rows_of_batch(c));
      const auto x = static_cast<double>(get<T>(c[0], i));
      const bool passes = !(static_cast<W>(channel.scale * x + channel.shift) <= floor_of<W>(c));
      const double dz = passes ? static_cast<double>(get<T>(c[7], i)) : 0;
      put<T>(c[8], i, static_cast<W>(channel.scale * dz + b.slope * x + b.shift));
    }
  }
};

template <bool training>
void launch(const Call& c, GpuQueue& q) {
  const auto a = c.attrs.as<BatchNormAttrs>();
  q.run("batch_norm_elemt", c[0].dtype, grid_of_elements(c[0].size()), c[0], c[1], c[2], c[3], c[4], c[5], c[0].size(),
        c[3].size(), training ? rows_of_batch(c) : 1, a.eps, a.relu, c[5].accumulate);
}
void launch_reduce(const Call& c, GpuQueue& q) {
  const auto a = c.attrs.as<BatchNormAttrs>();
  const ColumnChunks chunks(c[0], c[3].size());
  const GpuMemory parts = chunks.parts(q);
  q.run("batch_norm_backward_reduce", c[0].dtype, chunks.grid(), c[0], c[1], c[2], c[3], c[4], c[5], parts, chunks.rows,
        chunks.columns, chunks.chunk, rows_of_batch(c), a.eps, a.relu);
  chunks.sum(q, parts, 0, c[6]);
  chunks.sum(q, parts, 1, c[7]);
}
void launch_backward(const Call& c, GpuQueue& q) {
  const auto a = c.attrs.as<BatchNormAttrs>();
  q.run("batch_norm_backward_elemt", c[0].dtype, grid_of_elements(c[0].size()), c[0], c[1], c[2], c[3], c[4], c[5],
        c[6], c[7], c[8], c[0].size(), c[3].size(), rows_of_batch(c), a.eps, a.relu, c[8].accumulate);
}

void gradient(Grad& g) {
  const auto d = g.call(batch_norm_backward_reduce, {g.x(0), g.x(1), g.x(2), g.x(3), g.x(4), g.dy()}, g.attrs());
  g.dx(3, d[0]);
  g.dx(4, d[1]);
  if (!g.wants(0)) return;
  g.dx(0,
       g.call(batch_norm_backward_elemt, {g.x(0), g.x(1), g.x(2), g.x(3), g.x(4), d[0], d[1], g.dy()}, g.attrs())[0]);
}

/// Statistics of x, as batch_norm_stats makes them.
void derive(std::span<const Tile> inputs) {
  const Tile& x = inputs[0];
  const std::vector<double> count(static_cast<std::size_t>(inputs[1].size()));
  Tile unused = inputs[1];
  unused.data = const_cast<double*>(count.data());
  const Tile tiles[] = {x, unused, inputs[1], inputs[2]};
  const Shape shapes[] = {x.shape};
  const Attrs none;
  const Signature signature = signature_of(batch_norm_stats, none, shapes);
  batch_norm_stats.implementations().back().run({.tiles = tiles, .attrs = none, .signature = signature, .step = {}});
}

const Attrs kPlain = Attrs::of(BatchNormAttrs{.eps = 1e-3}),
            kRelu = Attrs::of(BatchNormAttrs{.eps = 1e-3, .relu = true});
const std::vector<Domain> kDomains{Domain::normal, Domain::normal, Domain::positive};

std::vector<Sample> samples() {
  return {{.inputs = {{7, 5}, {5}, {5}, {5}, {5}}, .attrs = kPlain, .domains = kDomains},
          {.inputs = {{3, 2, 2, 13}, {13}, {13}, {13}, {13}}, .attrs = kRelu, .domains = kDomains}};
}
std::vector<Sample> elemt_samples() {
  auto all = samples();
  for (Sample& s : all) s.derive = derive;
  return all;
}
std::vector<Sample> reduce_samples() {
  auto all = samples();
  for (Sample& s : all) s.inputs.push_back(s.inputs[0]);
  return all;
}
std::vector<Sample> backward_samples() {
  auto all = samples();
  for (Sample& s : all) s.inputs.insert(s.inputs.end(), {s.inputs[1], s.inputs[1], s.inputs[0]});
  return all;
}

}  // namespace

const Op batch_norm{
    .name = "batch_norm",
    .axes = "...c,c,c,c,c->...c",
    .operands = {{{"x"},
                  {"running_mean", Element::wide},
                  {"running_var", Element::wide},
                  {"weight", Element::wide},
                  {"bias", Element::wide},
                  {"y"}}},
    .flops = 3,
    .impls = {{gpu_impl<launch<false>>(), cpu_impl<Elemt<false>>("simd"), cpu_impl<ElemtRef<false>>("ref")}},
    .samples = samples};
const Op batch_norm_elemt{
    .name = "batch_norm_elemt",
    .axes = "...c,c,c,c,c->...c",
    .operands = {{{"x"},
                  {"mean", Element::wide},
                  {"square", Element::wide},
                  {"weight", Element::wide},
                  {"bias", Element::wide},
                  {"y"}}},
    .flops = 3,
    .grad = gradient,
    .impls = {{gpu_impl<launch<true>>(), cpu_impl<Elemt<true>>("simd"), cpu_impl<ElemtRef<true>>("ref")}},
    .samples = elemt_samples};
const Op batch_norm_backward_reduce{
    .name = "batch_norm_backward_reduce",
    .axes = "...c,c,c,c,c,...c->c,c",
    .operands = {{{"x"},
                  {"mean", Element::wide},
                  {"square", Element::wide},
                  {"weight", Element::wide},
                  {"bias", Element::wide},
                  {"dy"},
                  {"dweight", Element::wide},
                  {"dbias", Element::wide}}},
    .flops = 7,
    .impls = {{gpu_impl<launch_reduce>(), cpu_impl<BackwardReduce>("simd"), cpu_impl<BackwardReduceRef>("ref")}},
    .samples = reduce_samples};
const Op batch_norm_backward_elemt{
    .name = "batch_norm_backward_elemt",
    .axes = "...c,c,c,c,c,c,c,...c->...c",
    .operands = {{{"x"},
                  {"mean", Element::wide},
                  {"square", Element::wide},
                  {"weight", Element::wide},
                  {"bias", Element::wide},
                  {"dweight", Element::wide},
                  {"dbias", Element::wide},
                  {"dy"},
                  {"dx"}}},
    .flops = 7,
    .impls = {{gpu_impl<launch_backward>(), cpu_impl<BackwardElemt>("simd"), cpu_impl<BackwardElemtRef>("ref")}},
    .samples = backward_samples};

}  // namespace pleiad
