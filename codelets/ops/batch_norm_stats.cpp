#include "codelets/ops/batch_norm_stats.hpp"

#include "codelets/norm/columns.hpp"
#include "codelets/norm/columns_gpu.hpp"

namespace pleiad {
namespace {

/// The statistics so far: what a tile that accumulates holds, or none.
template <class W>
Moments stored_moments(const Call& c, double* room) noexcept {
  const Index channels = c[1].size();
  Moments m{.count = 0, .mean = room, .square = room + channels};
  std::fill_n(room, 2 * channels, 0);
  if (c[1].accumulate) m.merge(channels, static_cast<double>(get<W>(c[1], 0)), c[2].as<const W>(), c[3].as<const W>());
  return m;
}

template <class W>
void store_moments(const Call& c, const Moments& m) noexcept {
  const Index channels = c[1].size();
  fill_row(c[1].as<W>(), channels, false, [&](Index) { return static_cast<W>(m.count); });
  fill_row(c[2].as<W>(), channels, false, [&](Index i) { return static_cast<W>(m.mean[i]); });
  fill_row(c[3].as<W>(), channels, false, [&](Index i) { return static_cast<W>(m.square[i]); });
}

struct Stats {
  template <class T>
  static void run(const Call& c) noexcept {
    const Columns columns(c[1].size());
    const auto channels = static_cast<std::size_t>(columns.channels);
    Rooms rooms(2 * channels * sizeof(double) + 2 * columns.room() * sizeof(Wide<T>));
    Moments m = stored_moments<Wide<T>>(c, rooms.take<double>(2 * channels));
    auto *mean = rooms.take<Wide<T>>(columns.room()), *square = rooms.take<Wide<T>>(columns.room());
    add_rows(columns, c[0].as<const T>(), c[0].size(), m, mean, square);
    store_moments<Wide<T>>(c, m);
  }
};

struct StatsRef {
  template <class T>
  static void run(const Call& c) noexcept {
    const Index channels = c[1].size(), rows = c[0].size() / channels;
    auto* const room = static_cast<double*>(scratch(static_cast<std::size_t>(4 * channels) * sizeof(double)));
    Moments m = stored_moments<Wide<T>>(c, room);
    double *mean = room + 2 * channels, *square = room + 3 * channels;
    std::fill_n(mean, 2 * channels, 0);
    const auto x = [&](Index r, Index k) { return static_cast<double>(get<T>(c[0], r * channels + k)); };
    for (Index r = 0; r < rows; ++r)
      for (Index k = 0; k < channels; ++k) mean[k] += x(r, k) / static_cast<double>(rows);
    for (Index r = 0; r < rows; ++r)
      for (Index k = 0; k < channels; ++k) square[k] += (x(r, k) - mean[k]) * (x(r, k) - mean[k]);
    m.merge(channels, static_cast<double>(rows), mean, square);
    store_moments<Wide<T>>(c, m);
  }
};

/// count, mean, square, other_count, other_mean, other_square -> count, mean, square.
struct GatherStats {
  template <class T>
  static void run(const Call& c) noexcept {
    const auto share = [&](Index i) { return get<T>(c[3], i) / (get<T>(c[0], i) + get<T>(c[3], i)); };
    const auto delta = [&](Index i) { return get<T>(c[4], i) - get<T>(c[1], i); };
    fill_elements<T>(c[6], [&](Index i) { return get<T>(c[0], i) + get<T>(c[3], i); });
    fill_elements<T>(c[7], [&](Index i) { return get<T>(c[1], i) + delta(i) * share(i); });
    fill_elements<T>(c[8], [&](Index i) {
      return get<T>(c[2], i) + get<T>(c[5], i) + delta(i) * delta(i) * get<T>(c[0], i) * share(i);
    });
  }
};

/// &running_mean, &running_var, count, mean, square.
struct UpdateStats {
  template <class T>
  static void run(const Call& c) noexcept {
    using W = Wide<T>;
    const W momentum = static_cast<W>(c.attrs.as<BatchNormUpdateAttrs>().momentum);
    const auto step = [&](const Tile& running, Index i, W batch) {
      const W old = get<T>(running, i);
      store(running.as<T>()[i], old + momentum * (batch - old));
    };
    for (Index i = 0; i < c[0].size(); ++i) {
      step(c[0], i, get<T>(c[3], i));
      step(c[1], i, get<T>(c[4], i) / std::max(get<T>(c[2], i) - 1, W(1)));
    }
  }
};

void launch(const Call& c, GpuQueue& q) {
  const ColumnChunks chunks(c[0], c[1].size());
  const GpuMemory parts = chunks.parts(q);
  q.run("batch_norm_stats", c[0].dtype, chunks.grid(), c[0], parts, chunks.rows, chunks.columns, chunks.chunk);
  q.run("batch_norm_merge", c[0].dtype, grid_of_elements(chunks.columns), parts, chunks.rows, chunks.columns,
        chunks.chunk, c[1], c[2], c[3], c[1].accumulate);
}
void launch_gather(const Call& c, GpuQueue& q) {
  q.run("batch_norm_gather_stats", c[0].dtype, grid_of_elements(c[0].size()), c[0], c[1], c[2], c[3], c[4], c[5], c[6],
        c[7], c[8], c[0].size(), c[6].accumulate, c[7].accumulate, c[8].accumulate);
}
void launch_update(const Call& c, GpuQueue& q) {
  q.run("batch_norm_update_stats", c[0].dtype, grid_of_elements(c[0].size()), c[0], c[1], c[2], c[3], c[4], c[0].size(),
        c.attrs.as<BatchNormUpdateAttrs>().momentum);
}

std::vector<Sample> samples() { return {{.inputs = {{7, 5}}}, {.inputs = {{3, 5, 7, 11}}}, {.inputs = {{9, 300}}}}; }
std::vector<Sample> gather_samples() {
  return {{.inputs = std::vector<Shape>(6, Shape{5}),
           .domains = {Domain::positive, Domain::normal, Domain::positive, Domain::positive, Domain::normal,
                       Domain::positive}}};
}
std::vector<Sample> update_samples() {
  return {{.inputs = std::vector<Shape>(5, Shape{5}),
           .attrs = Attrs::of(BatchNormUpdateAttrs{.momentum = 0.3}),
           .domains = {Domain::normal, Domain::positive, Domain::positive, Domain::normal, Domain::positive}}};
}

}  // namespace

const Op batch_norm_stats{
    .name = "batch_norm_stats",
    .axes = "...c->c,c,c",
    .operands = {{{"x"}, {"count", Element::wide}, {"mean", Element::wide}, {"square", Element::wide}}},
    .flops = 4,
    .combine = &batch_norm_gather_stats,
    .impls = {{gpu_impl<launch>(), cpu_impl<Stats>("simd"), cpu_impl<StatsRef>("ref")}},
    .samples = samples};
const Op batch_norm_gather_stats{.name = "batch_norm_gather_stats",
                                 .axes = "c,c,c,c,c,c->c,c,c",
                                 .operands = {{{"count"},
                                               {"mean"},
                                               {"square"},
                                               {"other_count"},
                                               {"other_mean"},
                                               {"other_square"},
                                               {"both_count"},
                                               {"both_mean"},
                                               {"both_square"}}},
                                 .flops = 9,
                                 .impls = {{gpu_impl<launch_gather>(), cpu_impl<GatherStats>("ref")}},
                                 .samples = gather_samples};
const Op batch_norm_update_stats{.name = "batch_norm_update_stats",
                                 .axes = "&c,&c,c,c,c->",
                                 .operands = {{{"running_mean"}, {"running_var"}, {"count"}, {"mean"}, {"square"}}},
                                 .flops = 8,
                                 .impls = {{gpu_impl<launch_update>(), cpu_impl<UpdateStats>("ref")}},
                                 .samples = update_samples};

}  // namespace pleiad
