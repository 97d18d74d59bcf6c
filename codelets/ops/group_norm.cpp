#include "codelets/ops/group_norm.hpp"

#include <cmath>

#include "codelets/norm/columns.hpp"
#include "codelets/norm/columns_gpu.hpp"

namespace pleiad {
namespace {

/// The samples of a call, and what its loops need.
template <class T>
struct Samples {
  using W = Wide<T>;

  Index count, size, channels, groups, of_group;  // elements of a sample; channels of a group
  double elements;                                // of a sample's group

  explicit Samples(const Call& c)
      : count(c[0].shape[0]),
        size(c[0].size() / count),
        channels(c[0].shape.back()),
        groups(c.attrs.as<GroupNormAttrs>().groups),
        of_group(channels / groups),
        elements(static_cast<double>(size) / static_cast<double>(groups)) {}
};

/// Statistics of a group from those of its channels.
struct GroupStats {
  double mean = 0, square = 0;

  GroupStats(const Moments& m, Index first, Index channels) {
    for (Index k = first; k < first + channels; ++k) mean += m.mean[k] / static_cast<double>(channels);
    for (Index k = first; k < first + channels; ++k)
      square += m.square[k] + m.count * (m.mean[k] - mean) * (m.mean[k] - mean);
  }
};

/// x, weight, bias -> y, mean, rstd.
struct GroupNorm {
  template <class T>
  static void run(const Call& c) noexcept {
    using W = Wide<T>;
    const Samples<T> samples(c);
    const Columns columns(samples.channels);
    const auto channels = static_cast<std::size_t>(samples.channels);
    Rooms rooms(2 * channels * sizeof(double) + 2 * columns.room() * sizeof(W));
    auto* const moments = rooms.take<double>(2 * channels);
    W *scale = rooms.take<W>(columns.room()), *shift = rooms.take<W>(columns.room());
    for (Index s = 0; s < samples.count; ++s) {
      const T* x = c[0].as<const T>() + s * samples.size;
      Moments m{.count = 0, .mean = moments, .square = moments + channels};
      std::fill_n(moments, 2 * channels, 0);
      add_rows(columns, x, samples.size, m, scale, shift);
      for (Index g = 0; g < samples.groups; ++g) set_line(c, samples, m, s, g, scale, shift);
      columns.repeat(scale);
      columns.repeat(shift);
      columns.fill(c[3].as<T>() + s * samples.size, samples.size, c[3].accumulate,
                   [=](Index i, Index j) { return scale[j] * static_cast<W>(x[i]) + shift[j]; });
    }
  }

 private:
  template <class T, class W>
  static void set_line(const Call& c, const Samples<T>& samples, const Moments& m, Index s, Index g, W* scale,
                       W* shift) noexcept {
    const GroupStats stats(m, g * samples.of_group, samples.of_group);
    const double rstd = 1 / std::sqrt(stats.square / samples.elements + c.attrs.as<GroupNormAttrs>().eps);
    for (Index k = g * samples.of_group; k < (g + 1) * samples.of_group; ++k) {
      scale[k] = static_cast<W>(rstd) * get<W>(c[1], k);
      shift[k] = get<W>(c[2], k) - static_cast<W>(stats.mean) * scale[k];
    }
    put<W>(c[4], s * samples.groups + g, static_cast<W>(stats.mean));
    put<W>(c[5], s * samples.groups + g, static_cast<W>(rstd));
  }
};

/// Calls f(i) for every element of a group of a sample.
template <class T, class F>
void each_of_group(const Samples<T>& samples, Index s, Index g, F f) {
  for (Index at = s * samples.size + g * samples.of_group; at < (s + 1) * samples.size; at += samples.channels)
    for (Index k = 0; k < samples.of_group; ++k) f(at + k);
}

struct GroupNormRef {
  template <class T>
  static void run(const Call& c) noexcept {
    const Samples<T> samples(c);
    for (Index s = 0; s < samples.count; ++s)
      for (Index g = 0; g < samples.groups; ++g) run_group(c, samples, s, g);
  }

 private:
  template <class T>
  static void run_group(const Call& c, const Samples<T>& samples, Index s, Index g) noexcept {
    using W = Wide<T>;
    const auto x = [&](Index i) { return static_cast<double>(get<T>(c[0], i)); };
    double mean = 0, square = 0;
    each_of_group(samples, s, g, [&](Index i) { mean += x(i) / samples.elements; });
    each_of_group(samples, s, g, [&](Index i) { square += (x(i) - mean) * (x(i) - mean) / samples.elements; });
    const double rstd = 1 / std::sqrt(square + c.attrs.as<GroupNormAttrs>().eps);
    each_of_group(samples, s, g, [&](Index i) {
      const Index k = i % samples.channels;
      put<T>(c[3], i, static_cast<W>((x(i) - mean) * rstd) * get<W>(c[1], k) + get<W>(c[2], k));
    });
    put<W>(c[4], s * samples.groups + g, static_cast<W>(mean));
    put<W>(c[5], s * samples.groups + g, static_cast<W>(rstd));
  }
};

/// x, weight, mean, rstd, dy -> dx, dweight, dbias. With g_i = dy_i weight and n_i = (x_i - mean) rstd:
/// dx_i = rstd (g_i - mean over the group of g - n_i * mean over the group of g n) = scale dy_i + slope x_i + shift.
struct GroupNormGrad {
  template <class T>
  static void run(const Call& c) noexcept {
    using W = Wide<T>;
    const Samples<T> samples(c);
    const Columns columns(samples.channels);
    const auto channels = static_cast<std::size_t>(samples.channels);
    Rooms rooms(4 * channels * sizeof(double) + 5 * columns.room() * sizeof(W));
    auto* const totals = rooms.take<double>(2 * channels);
    Line<W> line{.sums = rooms.take<double>(2 * channels)};
    for (W** part : {&line.scale, &line.slope, &line.shift, &line.mean, &line.room})
      *part = rooms.take<W>(columns.room());
    std::fill_n(totals, 2 * channels, 0);
    for (Index s = 0; s < samples.count; ++s) run_sample(c, samples, columns, s, line, totals);
    for (Index k = 0; k < samples.channels; ++k) {
      put<W>(c[6], k, static_cast<W>(totals[samples.channels + k]));
      put<W>(c[7], k, static_cast<W>(totals[k]));
    }
  }

 private:
  template <class W>
  struct Line {
    double* sums;  // of dy, then of dy (x - mean), by channel
    W *scale = nullptr, *slope = nullptr, *shift = nullptr, *mean = nullptr, *room = nullptr;
  };

  template <class T, class W>
  static void run_sample(const Call& c, const Samples<T>& samples, const Columns& columns, Index s, const Line<W>& line,
                         double* totals) noexcept {
    const T *x = c[0].as<const T>() + s * samples.size, *dy = c[4].as<const T>() + s * samples.size;
    for (Index k = 0; k < samples.channels; ++k) line.mean[k] = get<W>(c[2], s * samples.groups + k / samples.of_group);
    columns.repeat(line.mean);
    std::fill_n(line.sums, 2 * samples.channels, 0);
    add_gradients(
        columns, x, samples.size, line.mean, [=](Index i, Index) { return static_cast<W>(dy[i]); }, line.sums,
        line.room);
    for (Index g = 0; g < samples.groups; ++g) set_group(c, samples, s, g, line, totals);
    for (W* part : {line.scale, line.slope, line.shift}) columns.repeat(part);
    columns.fill(c[5].as<T>() + s * samples.size, samples.size, c[5].accumulate, [=](Index i, Index j) {
      return line.scale[j] * static_cast<W>(dy[i]) + (line.slope[j] * static_cast<W>(x[i]) + line.shift[j]);
    });
  }

  template <class T, class W>
  static void set_group(const Call& c, const Samples<T>& samples, Index s, Index g, const Line<W>& line,
                        double* totals) noexcept {
    const Index first = g * samples.of_group, end = first + samples.of_group, n = samples.channels;
    const auto mean = static_cast<double>(get<W>(c[2], s * samples.groups + g));
    const auto rstd = static_cast<double>(get<W>(c[3], s * samples.groups + g));
    double sum = 0, sum_normal = 0;
    for (Index k = first; k < end; ++k) {
      const auto weight = static_cast<double>(get<W>(c[1], k));
      totals[k] += line.sums[k];
      totals[n + k] += line.sums[n + k] * rstd;
      sum += weight * line.sums[k] / samples.elements;
      sum_normal += weight * line.sums[n + k] * rstd / samples.elements;
    }
    const double slope = -rstd * rstd * sum_normal, shift = -rstd * sum - slope * mean;
    for (Index k = first; k < end; ++k) {
      line.scale[k] = static_cast<W>(rstd) * get<W>(c[1], k);
      line.slope[k] = static_cast<W>(slope);
      line.shift[k] = static_cast<W>(shift);
    }
  }
};

struct GroupNormGradRef {
  template <class T>
  static void run(const Call& c) noexcept {
    const Samples<T> samples(c);
    for (std::size_t o : {6, 7}) clear_unless_accumulating(c[o]);
    for (Index s = 0; s < samples.count; ++s)
      for (Index g = 0; g < samples.groups; ++g) run_group(c, samples, s, g);
  }

 private:
  template <class T>
  static void run_group(const Call& c, const Samples<T>& samples, Index s, Index g) noexcept {
    using W = Wide<T>;
    const W mean = get<W>(c[2], s * samples.groups + g), rstd = get<W>(c[3], s * samples.groups + g);
    const auto normal = [&](Index i) { return static_cast<double>((get<T>(c[0], i) - mean) * rstd); };
    const auto dn = [&](Index i) { return static_cast<double>(get<T>(c[4], i) * get<W>(c[1], i % samples.channels)); };
    double sum = 0, sum_normal = 0;
    each_of_group(samples, s, g, [&](Index i) {
      sum += dn(i) / samples.elements;
      sum_normal += dn(i) * normal(i) / samples.elements;
    });
    each_of_group(samples, s, g, [&](Index i) {
      put<T>(c[5], i, rstd * static_cast<W>(dn(i) - sum - normal(i) * sum_normal));
      c[6].as<W>()[i % samples.channels] += get<T>(c[4], i) * static_cast<W>(normal(i));
      c[7].as<W>()[i % samples.channels] += get<T>(c[4], i);
    });
  }
};

GpuGrid grid_of_sample_groups(const Call& c) {
  return grid_of_groups(c[0].shape[0] * c.attrs.as<GroupNormAttrs>().groups, 256);
}
void launch(const Call& c, GpuQueue& q) {
  const auto a = c.attrs.as<GroupNormAttrs>();
  const Index size = c[0].size() / c[0].shape[0], channels = c[0].shape.back();
  q.run("group_norm", c[0].dtype, grid_of_sample_groups(c), c[0], c[1], c[2], c[3], c[4], c[5], size, channels,
        channels / a.groups, a.eps, c[3].accumulate, c[4].accumulate, c[5].accumulate);
}
void launch_grad(const Call& c, GpuQueue& q) {
  const Index size = c[0].size() / c[0].shape[0], channels = c[0].shape.back();
  const Index groups = c.attrs.as<GroupNormAttrs>().groups;
  q.run("group_norm_grad", c[0].dtype, grid_of_sample_groups(c), c[0], c[1], c[2], c[3], c[4], c[5], size, channels,
        channels / groups, c[5].accumulate);
  const ColumnChunks chunks(c[0], channels);
  const GpuMemory parts = chunks.parts(q);
  q.run("norm_parameters", c[0].dtype, chunks.grid(), c[0], c[2], c[3], c[4], parts, chunks.rows, channels,
        chunks.chunk, size / channels, groups, channels / groups, true);
  chunks.sum(q, parts, 0, c[6]);
  chunks.sum(q, parts, 1, c[7]);
}

void gradient(Grad& g) {
  const auto d = g.call(group_norm_grad, {g.x(0), g.x(1), g.y(1), g.y(2), g.dy()}, g.attrs());
  for (int i = 0; i < 3; ++i) g.dx(i, d[static_cast<std::size_t>(i)]);
}

Index groups(char, std::span<const Shape> inputs, const Attrs& attrs) {
  const Index n = attrs.as<GroupNormAttrs>().groups, channels = inputs[0].back();
  if (n < 1 || channels % n != 0)
    throw ShapeError("group_norm: x has " + std::to_string(channels) + " channels, which " + std::to_string(n) +
                     " groups do not divide");
  return n;
}

Attrs in_groups(Index groups) { return Attrs::of(GroupNormAttrs{.groups = groups, .eps = 1e-3}); }
std::vector<Sample> samples() {
  return {{.inputs = {{3, 5, 2, 6}, {6}, {6}}, .attrs = in_groups(2)},
          {.inputs = {{2, 3, 3, 5}, {5}, {5}}, .attrs = in_groups(1)}};
}
std::vector<Sample> grad_samples() {
  const std::vector<Domain> domains{Domain::normal, Domain::normal, Domain::normal, Domain::positive};
  return {{.inputs = {{3, 5, 2, 6}, {6}, {3, 2}, {3, 2}, {3, 5, 2, 6}}, .attrs = in_groups(2), .domains = domains},
          {.inputs = {{2, 3, 3, 5}, {5}, {2, 5}, {2, 5}, {2, 3, 3, 5}}, .attrs = in_groups(5), .domains = domains}};
}

}  // namespace

const Op group_norm{.name = "group_norm",
                    .axes = "nHWC,C,C->nHWC,nG,nG",
                    .operands = {{{"x"},
                                  {"weight", Element::wide},
                                  {"bias", Element::wide},
                                  {"y"},
                                  {"mean", Element::wide},
                                  {"rstd", Element::wide}}},
                    .flops = 8,
                    .over = "nHWC",
                    .extent = groups,
                    .grad = gradient,
                    .impls = {{gpu_impl<launch>(), cpu_impl<GroupNorm>("simd"), cpu_impl<GroupNormRef>("ref")}},
                    .samples = samples};
const Op group_norm_grad{
    .name = "group_norm_grad",
    .axes = "nHWC,C,nG,nG,nHWC->nHWC,C,C",
    .operands = {{{"x"},
                  {"weight", Element::wide},
                  {"mean", Element::wide},
                  {"rstd", Element::wide},
                  {"dy"},
                  {"dx"},
                  {"dweight", Element::wide},
                  {"dbias", Element::wide}}},
    .flops = 10,
    .over = "nHWC",
    .impls = {{gpu_impl<launch_grad>(), cpu_impl<GroupNormGrad>("simd"), cpu_impl<GroupNormGradRef>("ref")}},
    .samples = grad_samples};

}  // namespace pleiad
