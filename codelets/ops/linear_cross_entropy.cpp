#include "codelets/ops/linear_cross_entropy.hpp"

#include "codelets/blas/gemm.hpp"
#include "codelets/gpu/gemm.hpp"
#include "codelets/gpu/sum_parts.hpp"
#include "codelets/ops/cross_entropy_row.hpp"
#include "codelets/ops/scale_by.hpp"

namespace pleiad {
namespace {

/// Operands; the loss alone has no gradients.
enum : std::size_t { kX, kW, kIds, kCount, kLoss, kDx, kDw };

/// Logits of a block: few enough for the nearest caches, if that leaves the products enough rows.
constexpr Index kBlockLogits = 1 << 19, kMinRows = 64;

/// The products of a block of rows.
struct Products {
  Gemm logits, dx, dw;

  Products(const Call& c, Index rows) {
    const Index n = c[kW].shape[0], k = c[kW].shape[1];
    const Gemm g{.dtype = c[kX].dtype, .b_row = k, .b_col = 1, .c_row = k};
    logits = {.dtype = g.dtype, .m = rows, .n = n, .k = k, .a_row = k, .a_col = 1, .b_row = 1, .b_col = k, .c_row = n};
    dx = dw = g;
    dx.m = dw.k = rows;
    dx.k = dw.m = n;
    dx.n = dw.n = k;
    dx.a_row = dw.a_col = n;
    dx.a_col = dw.a_row = 1;
    if (c.tiles.size() > kDx) dx.accumulate = c[kDx].accumulate;
  }
};

Index rows_of(const Call& c) { return c[kIds].size(); }
Index rows_of_block(const Call& c) {
  return std::min(rows_of(c), std::max(kMinRows, kBlockLogits / c[kW].shape[0] / kMinRows * kMinRows));
}

template <const GemmBackend& Backend, class M>
struct LinearCrossEntropy {
  template <class T>
  static void run(const Call& c) noexcept {
    const Index rows = rows_of(c), block = rows_of_block(c), classes = c[kW].shape[0];
    const auto bytes =
        static_cast<std::size_t>(classes) * (sizeof(Wide<T>) + static_cast<std::size_t>(block) * sizeof(T));
    auto* e = static_cast<Wide<T>*>(scratch(bytes));
    T* logits = reinterpret_cast<T*>(e + classes);
    double loss = 0;
    for (Index row = 0; row < rows; row += block) loss += run_block<T>(c, row, std::min(block, rows - row), logits, e);
    put<Wide<T>>(c[kLoss], 0, static_cast<Wide<T>>(loss * weight(c)));
  }

 private:
  static double weight(const Call& c) { return 1.0 / std::max(1, *c[kCount].as<const std::int32_t>()); }

  template <class T>
  static double run_block(const Call& c, Index row, Index rows, T* logits, Wide<T>* e) noexcept {
    Products p(c, rows);
    const T* x = c[kX].as<const T>() + row * p.logits.k;
    Backend.run(p.logits, {.a = x, .b = c[kW].data, .c = logits});
    double loss = 0;
    for (Index r = 0; r < rows; ++r) {
      const Index id = c[kIds].as<const std::int32_t>()[row + r];
      loss += run_row<T>(c, id, logits + r * p.logits.n, p.logits.n, e);
    }
    if (c.tiles.size() == kDx) return loss;
    p.dw.accumulate = c[kDw].accumulate || row > 0;
    Backend.run(p.dx, {.a = logits, .b = c[kW].data, .c = c[kDx].as<T>() + row * p.dx.n});
    Backend.run(p.dw, {.a = logits, .b = x, .c = c[kDw].data});
    return loss;
  }

  /// Loss of one row of n logits, which its gradient replaces.
  template <class T>
  static double run_row(const Call& c, Index id, T* logits, Index n, Wide<T>* e) noexcept {
    check_class_id("linear_cross_entropy", id, n);
    if (id < 0) {
      fill_row(logits, n, false, [](Index) { return Wide<T>(0); });
      return 0;
    }
    Wide<T> sum = 0;
    const double loss = cross_entropy_loss<M>(logits, n, id, e, sum);
    if (c.tiles.size() > kDx) cross_entropy_gradient(e, sum, id, static_cast<Wide<T>>(weight(c)), logits, n, false);
    return loss;
  }
};

template <const GemmBackend& Backend, class M>
constexpr Impl impl(const char* name) {
  return cpu_impl<LinearCrossEntropy<Backend, M>>(name, [](const Call& c) {
    const Products p(c, rows_of_block(c));
    return Backend.fits(p.logits) && Backend.fits(p.dx) && Backend.fits(p.dw);
  });
}

/// Rows of a block, where its logits begin in the scratch, and the groups that share its rows.
struct GpuBlock {
  Index row, rows, start, groups;
};
void launch_block(const Call& c, GpuQueue& q, const GpuBlock& b, GpuMemory memory) {
  const Products p(c, b.rows);
  const DType dtype = c[kX].dtype;
  const GpuMemory x{c[kX].data}, w{c[kW].data};
  GpuGemm logits = gpu_gemm(p.logits), dx = gpu_gemm(p.dx), dw = gpu_gemm(p.dw);
  logits.a = dx.c = dw.b = b.row * p.logits.k;
  logits.c = dx.a = dw.a = b.start;
  run_gemm(q, dtype, logits, 1, 1, {x, w, w, memory, memory});
  q.run("cross_entropy_block", dtype, grid_of_groups(b.groups, 256), memory, memory, b.start, c[kIds], b.row, c[kCount],
        b.rows, p.logits.n, b.row > 0);
  if (c.tiles.size() == kDx) return;
  dw.accumulate = c[kDw].accumulate || b.row > 0;
  run_gemm(q, dtype, dx, 1, 1, {memory, w, w, {c[kDx].data}, memory});
  run_gemm(q, dtype, dw, 1, 1, {memory, x, w, {c[kDw].data}, memory});
}
/// The scratch begins with a part of the loss for each group, rounded up to whole vectors; the logits of a block
/// follow.
void launch(const Call& c, GpuQueue& q) {
  constexpr Index kGpuBlockLogits = 1 << 24, kGroups = 1024;
  const Index rows = rows_of(c), n = c[kW].shape[0];
  const Index block = std::min(rows, std::max(kMinRows, kGpuBlockLogits / n / kMinRows * kMinRows));
  const DType dtype = c[kX].dtype;
  const auto parts_bytes = static_cast<std::size_t>(kGroups) * size_of(wide_of(dtype));
  const GpuMemory memory = q.scratch(parts_bytes + static_cast<std::size_t>(block * n) * size_of(dtype));
  const auto start = static_cast<Index>(parts_bytes / size_of(dtype));
  for (Index row = 0; row < rows; row += block)
    launch_block(c, q, {row, std::min(block, rows - row), start, kGroups}, memory);
  sum_parts(q, dtype, memory, kGroups, 1, c[kLoss]);
}

constexpr Impls kImpls{{gpu_impl<launch>(), impl<gemm_onednn_sgemm, VectorMath>("onednn_sgemm"),
                        impl<gemm_onednn, VectorMath>("onednn"), impl<gemm_openblas, VectorMath>("openblas"),
                        impl<gemm_ref, StdMath>("ref")}};

void scale_gradients(Grad& g, Sym dx, Sym dw) {
  for (auto [i, d] : {std::pair{0, dx}, {1, dw}})
    if (g.wants(i)) g.dx(i, g.unit_dy() ? d : g.call(scale_by, {d, g.dy()})[0]);
}
void gradient(Grad& g) { scale_gradients(g, g.y(1), g.y(2)); }
void gradient_of_loss(Grad& g) {
  const auto y = g.call(linear_cross_entropy, {g.x(0), g.x(1), g.x(2), g.x(3)});
  scale_gradients(g, y[1], y[2]);
}

std::vector<Sample> samples() {
  const std::vector<Domain> domains{Domain::normal, Domain::normal, Domain::ids, Domain::positive};
  return {{.inputs = {{7, 3}, {5, 3}, {7}, {}}, .domains = domains},
          {.inputs = {{2, 35, 2}, {4, 2}, {2, 35}, {}}, .domains = domains},
          {.inputs = {{1, 1}, {3, 1}, {1}, {}}, .domains = domains}};
}

}  // namespace

const Op linear_cross_entropy{
    .name = "linear_cross_entropy",
    .axes = "...C,VC,...,->,...C,VC",
    .operands =
        {{{"x"}, {"w"}, {"ids", Element::index}, {"count", Element::index}, {"loss", Element::wide}, {"dx"}, {"dw"}}},
    .flops = 6,
    .grad = gradient,
    .impls = kImpls,
    .samples = samples};
const Op linear_cross_entropy_loss{
    .name = "linear_cross_entropy_loss",
    .axes = "...C,VC,...,->",
    .operands = {{{"x"}, {"w"}, {"ids", Element::index}, {"count", Element::index}, {"loss", Element::wide}}},
    .flops = 2,
    .grad = gradient_of_loss,
    .impls = kImpls,
    .samples = samples};

}  // namespace pleiad
