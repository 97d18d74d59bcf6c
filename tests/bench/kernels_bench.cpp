#include <benchmark/benchmark.h>

#include <chrono>
#include <memory>

#include "codelets/blas/gemm.hpp"
#include "codelets/ops/einsum.hpp"
#include "codelets/ops/linear.hpp"
#include "codelets/ops/linear_dw.hpp"
#include "codelets/registry.hpp"
#include "op_run.hpp"

// Every op at its samples scaled up, and the matrix products of two multilayer perceptrons, in every implementation
// that fits. `of_best`: flop rate over that of the fastest large matrix product, measured at the start of the run.
// pleiad_bench --benchmark_filter=linear --benchmark_repetitions=9 --benchmark_enable_random_interleaving=true

namespace pleiad::testing {
namespace {

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Flop/s of the best run of any backend on a product that does not suffer from its shape.
double best_gemm() {
  constexpr Index n = 1024;
  Values a(DType::f32, {n, n}), b(DType::f32, {n, n}), c(DType::f32, {n, n});
  const Gemm g{.m = n, .n = n, .k = n, .a_row = n, .a_col = 1, .b_row = n, .b_col = 1, .c_row = n};
  double best = 0;
  for (const GemmBackend* backend : {&gemm_onednn, &gemm_onednn_sgemm, &gemm_openblas})
    for (int i = 0; i < 8; ++i) {
      const double start = seconds();
      backend->run(g, {a.data(), b.data(), c.data()});
      best = std::max(best, 2.0 * n * n * n / (seconds() - start));
    }
  return best;
}

void run(benchmark::State& state, Problem& p, const Impl& impl, double best) {
  const auto tiles = p.tiles();
  const Call call{.tiles = tiles, .attrs = p.attrs, .signature = p.signature, .step = kStep};
  impl.run(call);
  for (auto _ : state) {
    impl.run(call);
    benchmark::ClobberMemory();
  }
  using benchmark::Counter;
  const Cost cost = cost_of(p.op, p.signature, tiles);
  state.counters["flop/s"] = Counter(cost.flops, Counter::kIsIterationInvariantRate);
  state.counters["B/s"] = Counter(cost.bytes, Counter::kIsIterationInvariantRate);
  state.counters["of_best"] = Counter(cost.flops / best, Counter::kIsIterationInvariantRate);
}

void add_problem(const std::string& label, const Op& op, const Sample& sample, double best) {
  auto p = std::make_shared<Problem>(sample_problem(op, sample, DType::f32));
  for (const Impl& impl : op.implementations()) {
    const bool slow = std::string_view(impl.name) == "ref" && op.implementations().size() > 2;
    if (slow || !fits(*p, impl, p->tiles())) continue;
    benchmark::RegisterBenchmark((label + "/" + impl.name).c_str(),
                                 [p, impl, best](benchmark::State& state) { run(state, *p, impl, best); });
  }
}

/// The sample with its axes grown alike until the largest input has about `elements`.
Sample scaled(const Op& op, Sample sample, double elements) {
  const Signature s = signature_of(op, sample.attrs, sample.inputs);
  double largest = 1, rank = 1;
  for (const Shape& shape : sample.inputs)
    if (static_cast<double>(shape.volume()) > largest)
      largest = static_cast<double>(shape.volume()), rank = static_cast<double>(shape.rank());
  const auto factor = static_cast<Index>(std::max(1.0, std::round(std::pow(elements / largest, 1 / rank))));
  for (Shape& shape : sample.inputs)
    for (std::size_t d = 0; d < shape.rank(); ++d) shape[d] *= factor;
  return sample;
}

void add_samples(double best) {
  for (const Op* op : all_ops()) {
    std::size_t number = 0;
    for (const Sample& sample : op->samples())
      add_problem(std::string(op->name) + "/sample" + std::to_string(number++), *op, scaled(*op, sample, 3e4), best);
  }
}

void add_layer(Index batch, Index in, Index out, double best) {
  const std::string shape = std::to_string(batch) + "x" + std::to_string(in) + "x" + std::to_string(out);
  const Attrs relu = Attrs::of(LinearAttrs{Activation::relu}, "bI,oI,o->bo");
  add_problem("linear/" + shape, linear, {{{batch, in}, {out, in}, {out}}, relu}, best);
  add_problem("linear_dx/" + shape, einsum, {{{batch, out}, {out, in}}, Attrs("bo,oI->bI")}, best);
  add_problem("linear_dw/" + shape, linear_dw, {{{batch, out}, {batch, in}}, Attrs("bo,bI->oI,o")}, best);
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
  benchmark::Initialize(&argc, argv);
  benchmark::AddCustomContext("best matrix product", std::to_string(best * 1e-9) + " Gflop/s");
  benchmark::RunSpecifiedBenchmarks();
}
