#include <benchmark/benchmark.h>

#include <cmath>
#include <ctime>
#include <optional>

#include "codelets/blas/gemm.hpp"
#include "codelets/ops/adaptive_avg_pool2d.hpp"
#include "codelets/ops/avg_pool2d.hpp"
#include "codelets/ops/conv2d_dw.hpp"
#include "codelets/ops/conv2d_dx.hpp"
#include "codelets/ops/depthwise_conv2d.hpp"
#include "codelets/ops/einsum.hpp"
#include "codelets/ops/linear.hpp"
#include "codelets/ops/linear_dw.hpp"
#include "codelets/ops/max_pool2d.hpp"
#include "codelets/ops/pad2d.hpp"
#include "codelets/registry.hpp"
#include "op_run.hpp"

// Every op at its samples scaled up, and the matrix products of two multilayer perceptrons, in every implementation
// that fits. `of_best`: flop rate over that of the fastest large matrix product, measured at the start of the run.
// pleiad_bench --benchmark_filter=linear --benchmark_min_time=0.05 --benchmark_repetitions=5

namespace pleiad::testing {
namespace {

/// Of the processor, so that other programs do not count; the rates below are also per processor second.
double seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Flop/s of the best run of any backend on a product that does not suffer from its shape.
double best_gemm() {
  constexpr Index n = 1024;
  Values a(DType::f32, {n, n}), b(DType::f32, {n, n}), c(DType::f32, {n, n});
  const Gemm g{.m = n, .n = n, .k = n, .a_row = n, .a_col = 1, .b_row = n, .b_col = 1, .c_row = n};
  double best = 0;
  for (const GemmBackend* backend : {&gemm_onednn, &gemm_onednn_sgemm, &gemm_openblas})
    for (int i = 0; i < 12; ++i) {
      const double start = seconds();
      backend->run(g, {a.data(), b.data(), c.data()});
      best = std::max(best, 2.0 * n * n * n / (seconds() - start));
    }
  return best;
}

/// A call that takes memory only when it is run: all of them together would not fit.
struct Case {
  std::string label;
  const Op& op;
  Sample sample;

  /// Inputs repeat a short stretch of the sample's domains.
  Problem problem() const {
    std::mt19937 random(7);
    std::vector<Values> inputs;
    for (std::size_t i = 0; i < sample.inputs.size(); ++i) {
      const Domain domain = i < sample.domains.size() ? sample.domains[i] : Domain::normal;
      Values& v = inputs.emplace_back(element_type(op, sample.attrs, i, DType::f32), sample.inputs[i]);
      for (Index e = 0; e < v.size(); ++e) v.set(e, e < 1000 ? draw(domain, v.dtype(), random) : v[e - 1000]);
    }
    return {op, sample.attrs, std::move(inputs), DType::f32};
  }
  /// Tiles without memory, to ask what fits.
  std::vector<Tile> tiles(const Signature& s) const {
    std::vector<Tile> all;
    for (std::size_t i = 0; i < s.operands.size(); ++i) {
      const bool input = i < sample.inputs.size();
      const Shape shape = input ? sample.inputs[i] : output_shape(op, sample.attrs, s, sample.inputs, i);
      all.push_back({.shape = shape, .whole = shape, .dtype = element_type(op, sample.attrs, i, DType::f32)});
    }
    return all;
  }
};

void run(benchmark::State& state, const Case& bench_case, const Impl& impl, double best) {
  static std::string label;
  static std::optional<Problem> p;  // kept for the next implementation of the same case
  if (label != bench_case.label) p.emplace(bench_case.problem());
  label = bench_case.label;
  const auto tiles = p->tiles();
  const Call call{.tiles = tiles, .attrs = p->attrs, .signature = p->signature, .step = kStep};
  impl.run(call);
  for (auto _ : state) {
    impl.run(call);
    benchmark::ClobberMemory();
  }
  using benchmark::Counter;
  const Cost cost = cost_of(p->op, p->signature, tiles);
  state.counters["flop/s"] = Counter(cost.flops, Counter::kIsIterationInvariantRate);
  state.counters["B/s"] = Counter(cost.bytes, Counter::kIsIterationInvariantRate);
  state.counters["of_best"] = Counter(cost.flops / best, Counter::kIsIterationInvariantRate);
}

void add_case(const std::string& label, const Op& op, const Sample& sample, double best) {
  const Case bench_case{label, op, sample};
  const Signature s = signature_of(op, sample.attrs, sample.inputs);
  const auto tiles = bench_case.tiles(s);
  for (const Impl& impl : op.implementations()) {
    if (impl.device != Device::cpu) continue;
    const bool slow = std::string_view(impl.name) == "ref" && op.implementations().size() > 2;
    if (slow || (impl.fits && !impl.fits({.tiles = tiles, .attrs = sample.attrs, .signature = s, .step = kStep})))
      continue;
    benchmark::RegisterBenchmark((label + "/" + impl.name).c_str(),
                                 [=, &impl](benchmark::State& state) { run(state, bench_case, impl, best); });
  }
}

/// The sample with its axes grown alike until the largest input has about `elements`; where extents follow from
/// attributes, only with the axes that may be cut.
Sample scaled(const Op& op, Sample sample, double elements) {
  const Signature s = signature_of(op, sample.attrs, sample.inputs);
  const auto grows = [&](std::size_t input, std::size_t d) {
    return !op.extent || !Signature::whole(s.operands[input].axes[d]);
  };
  double largest = 0, growing = 1;
  for (std::size_t i = 0; i < sample.inputs.size(); ++i) {
    const auto volume = static_cast<double>(sample.inputs[i].volume());
    if (volume <= largest) continue;
    largest = volume;
    growing = 0;
    for (std::size_t d = 0; d < sample.inputs[i].rank(); ++d) growing += grows(i, d) ? 1 : 0;
  }
  if (largest == 0 || growing == 0) return sample;
  const auto factor = static_cast<Index>(std::max(1.0, std::round(std::pow(elements / largest, 1 / growing))));
  for (std::size_t i = 0; i < sample.inputs.size(); ++i)
    for (std::size_t d = 0; d < sample.inputs[i].rank(); ++d)
      if (grows(i, d)) sample.inputs[i][d] *= factor;
  return sample;
}

void add_samples(double best) {
  for (const Op* op : all_ops()) {
    std::size_t number = 0;
    for (const Sample& sample : op->samples())
      add_case(std::string(op->name) + "/sample" + std::to_string(number++), *op, scaled(*op, sample, 3e4), best);
  }
}

void add_layer(Index batch, Index in, Index out, double best) {
  const std::string shape = std::to_string(batch) + "x" + std::to_string(in) + "x" + std::to_string(out);
  const Attrs relu = Attrs::of(LinearAttrs{Activation::relu}, "bI,oI,o->bo");
  add_case("linear/" + shape, linear, {{{batch, in}, {out, in}, {out}}, relu}, best);
  add_case("linear_dx/" + shape, einsum, {{{batch, out}, {out, in}}, Attrs("bo,oI->bI")}, best);
  add_case("linear_dw/" + shape, linear_dw, {{{batch, out}, {batch, in}}, Attrs("bo,bI->oI,o")}, best);
}

/// A convolution of images of size x size, as residual networks have them, and its gradients.
void add_conv(Index batch, Index size, Index in, Index out, std::int32_t kernel, std::int32_t stride, double best) {
  Conv2dAttrs a{.stride = {stride, stride}, .padding = {kernel / 2, kernel / 2}};
  const Index places = (size + 2 * a.padding[0] - kernel) / stride + 1;
  const std::string shape = std::to_string(batch) + "x" + std::to_string(size) + "x" + std::to_string(size) + "x" +
                            std::to_string(in) + "x" + std::to_string(out) + "k" + std::to_string(kernel) + "s" +
                            std::to_string(stride);
  const Shape x{batch, size, size, in}, w{out, in, kernel, kernel}, dy{batch, places, places, out};
  add_case("conv2d/" + shape, conv2d, {{x, w}, conv2d_attrs(a, false)}, best);
  a.extents = {static_cast<std::int32_t>(size), static_cast<std::int32_t>(size)};
  add_case("conv2d_dx/" + shape, conv2d_dx, {{dy, w}, Attrs::of(a, "nPQk,kcRS->nHWc")}, best);
  a.extents = {kernel, kernel};
  add_case("conv2d_dw/" + shape, conv2d_dw, {{dy, x}, Attrs::of(a, "nPQk,nHWc->kcRS")}, best);
}

/// What else convolutional networks do to images of size x size.
void add_images(std::int32_t size, Index channels, double best) {
  const std::string shape = "32x" + std::to_string(size) + "x" + std::to_string(size) + "x" + std::to_string(channels);
  const Shape x{32, size, size, channels}, half{32, size / 2, size / 2, channels};
  Conv2dAttrs a{.padding = {1, 1}, .extents = {size, size}};
  add_case("depthwise_conv2d/" + shape, depthwise_conv2d, {{x, {channels, 1, 3, 3}}, Attrs::of(a)}, best);
  add_case("depthwise_conv2d_dx/" + shape, depthwise_conv2d_dx, {{x, {channels, 1, 3, 3}}, Attrs::of(a)}, best);
  a.extents = {3, 3};
  add_case("depthwise_conv2d_dw/" + shape, depthwise_conv2d_dw, {{x, x}, Attrs::of(a)}, best);
  const PoolAttrs pool{.extents = {size, size}};
  add_case("max_pool2d/" + shape, max_pool2d, {{x}, Attrs::of(pool)}, best);
  add_case("max_pool2d_grad/" + shape, max_pool2d_grad, {{half, half}, Attrs::of(pool)}, best);
  add_case("avg_pool2d/" + shape, avg_pool2d, {{x}, Attrs::of(pool)}, best);
  add_case("avg_pool2d_grad/" + shape, avg_pool2d_grad, {{half}, Attrs::of(pool)}, best);
  add_case("adaptive_avg_pool2d/" + shape, adaptive_avg_pool2d, {{x}, Attrs::of(AdaptivePoolAttrs{})}, best);
  add_case("adaptive_avg_pool2d_grad/" + shape, adaptive_avg_pool2d_grad,
           {{{32, 1, 1, channels}}, Attrs::of(AdaptivePoolAttrs{{size, size}})}, best);
  add_case("pad2d/" + shape, pad2d, {{x}, Attrs::of(PadAttrs{1, 1, 1, 1})}, best);
}

}  // namespace
}  // namespace pleiad::testing

int main(int argc, char** argv) {
  using namespace pleiad::testing;
  const double best = best_gemm();
  add_samples(best);
  for (pleiad::Index batch : {64, 128, 256, 512})
    for (auto [in, out] : {std::pair{784, 512}, {512, 256}, {256, 10}, {784, 2048}, {2048, 2048}, {2048, 10}})
      add_layer(batch, in, out, best);
  for (auto [size, channels] : {std::pair{32, 16}, {32, 64}, {16, 32}, {16, 128}, {8, 64}, {8, 256}}) {
    add_conv(32, size, channels, channels, 3, 1, best);
    add_images(size, channels, best);
  }
  add_conv(32, 32, 3, 16, 3, 1, best);
  for (int kernel : {1, 3}) add_conv(32, 32, 64, 128, kernel, 2, best);
  benchmark::Initialize(&argc, argv);
  benchmark::AddCustomContext("best matrix product", std::to_string(best * 1e-9) + " Gflop/s");
  benchmark::RunSpecifiedBenchmarks();
}
