#include "codelets/ops/embedding.hpp"

#include "codelets/base/loops.hpp"

namespace pleiad {
namespace {

/// Number within the tile of the row of `table` that an id names; negative if it lies in another tile or nowhere.
Index row_in(const Tile& table, Index id) noexcept {
  if (id >= table.whole[0])
    fatal("embedding: id " + std::to_string(id) + ", but the table has " + std::to_string(table.whole[0]) + " rows");
  const Index row = id - table.origin[0];
  return id < 0 || row >= table.shape[0] ? -1 : row;
}

struct Lookup {
  template <class T>
  static void run(const Call& c) noexcept {
    const auto* ids = c[0].as<const std::int32_t>();
    const Index n = row_length(c[1]);
    for (Index i = 0; i < c[0].size(); ++i) put_row(c, row_in(c[1], ids[i]), c[2].as<T>() + i * n, n);
  }

 private:
  template <class T>
  static void put_row(const Call& c, Index row, T* y, Index n) {
    if (row < 0 && !c[2].accumulate) std::fill_n(y, n, T());
    if (row < 0) return;
    const T* w = c[1].as<const T>() + row * n;
    fill_row(y, n, c[2].accumulate, [=](Index d) { return static_cast<Wide<T>>(w[d]); });
  }
};

/// The places of each row's id, as chains in order: first[row] begins one, next[place] goes on, -1 ends it.
struct Chains {
  std::int32_t *first, *next;

  Chains(const Tile& ids, const Tile& table, std::int32_t* memory) : first(memory), next(memory + table.shape[0]) {
    std::fill_n(first, table.shape[0], -1);
    for (Index i = ids.size(); i-- > 0;) {
      const Index row = row_in(table, ids.as<const std::int32_t>()[i]);
      if (row < 0) continue;
      next[i] = first[row];
      first[row] = static_cast<std::int32_t>(i);
    }
  }
};

/// Goes through the table once: each row is summed where it is near, and written once.
struct ScatterAdd {
  template <class T>
  static void run(const Call& c) noexcept {
    using W = Wide<T>;
    const Tile &ids = c[0], &dy = c[1], &dw = c[2];
    const Index n = row_length(dw);
    auto* sums = static_cast<W*>(scratch(static_cast<std::size_t>(n) * sizeof(W) +
                                         static_cast<std::size_t>(dw.shape[0] + ids.size()) * sizeof(std::int32_t)));
    const Chains chains(ids, dw, reinterpret_cast<std::int32_t*>(sums + n));
    for (Index row = 0; row < dw.shape[0]; ++row) {
      if (dw.accumulate && chains.first[row] < 0) continue;
      std::fill_n(sums, n, W(0));
      for (Index i = chains.first[row]; i >= 0; i = chains.next[i]) {
        const T* from = dy.as<const T>() + i * n;
        fill_row(sums, n, true, [=](Index d) { return static_cast<W>(from[d]); });
      }
      fill_row(dw.as<T>() + row * n, n, dw.accumulate, [=](Index d) { return sums[d]; });
    }
  }
};

void launch(const Call& c, GpuQueue& q) {
  const Tile &w = c[1], &y = c[2];
  q.run("embedding", w.dtype, grid_of_elements(y.size()), c[0], w, y, y.size(), row_length(w), w.origin[0], w.shape[0],
        w.whole[0], y.accumulate);
}
void launch_grad(const Call& c, GpuQueue& q) {
  const Tile& dw = c[2];
  q.run("embedding_grad", dw.dtype, grid_of_groups(dw.shape[0], 256), c[0], c[1], dw, c[0].size(), row_length(dw),
        dw.origin[0], dw.accumulate);
}

void gradient(Grad& g) {
  if (!g.wants(1)) return;
  const EmbeddingGradAttrs attrs{.vocabulary = g.shape(g.x(1))[0]};
  g.dx(1, g.call(embedding_grad, {g.x(0), g.dy()}, Attrs::of(attrs))[0]);
}

Index vocabulary(char, std::span<const Shape>, const Attrs& attrs) { return attrs.as<EmbeddingGradAttrs>().vocabulary; }

std::vector<Sample> samples() {
  return {{.inputs = {{2, 7}, {5, 3}}, .domains = {Domain::ids}}, {.inputs = {{1}, {3, 1}}, .domains = {Domain::ids}}};
}
std::vector<Sample> grad_samples() {
  const Attrs attrs = Attrs::of(EmbeddingGradAttrs{.vocabulary = 5});
  return {{.inputs = {{2, 7}, {2, 7, 3}}, .attrs = attrs, .domains = {Domain::ids}},
          {.inputs = {{1}, {1, 1}}, .attrs = attrs, .domains = {Domain::ids}}};
}

}  // namespace

const Op embedding{.name = "embedding",
                   .axes = "...,vc->...c",
                   .operands = {{{"ids", Element::index}, {"weight"}, {"y"}}},
                   .over = "...c",
                   .grad = gradient,
                   .impls = {{gpu_impl<launch>(), cpu_impl<Lookup>("ref")}},
                   .samples = samples};
const Op embedding_grad{.name = "embedding_grad",
                        .axes = "...,...c->vc",
                        .operands = {{{"ids", Element::index}, {"dy"}, {"dw"}}},
                        .over = "...c",
                        .extent = vocabulary,
                        .impls = {{gpu_impl<launch_grad>(), cpu_impl<ScatterAdd>("ref")}},
                        .samples = grad_samples};

}  // namespace pleiad
