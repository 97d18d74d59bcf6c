#include <algorithm>
#include <functional>

#include "codelets/registry.hpp"
#include "perfmodels/machine.hpp"
#include "perfmodels/store.hpp"

namespace pleiad {
namespace {

constexpr double kLatency_us = 0.3;  // a kernel's own start: reading tiles, choosing loops
constexpr double kBudget_us = 3e4;
constexpr double kNoRival_us = std::numeric_limits<double>::infinity();

/// The plain reference counts only where there is nothing else.
bool worth_timing(const Op& op, const Impl& impl) {
  const auto cpu = [](const Impl& i) { return i.device == Device::cpu; };
  const auto all = op.implementations();
  return cpu(impl) && (std::string_view(impl.name) != "ref" || std::count_if(all.begin(), all.end(), cpu) == 1);
}

const Op& op_called(const char* name) {
  const Op* op = find_op(name);
  if (op == nullptr)
    throw Error(Exit::internal, "this build has no op " + std::string(name) + " to measure the machine with");
  return *op;
}

/// Work per second of one of `workers` busy threads in the fastest implementation of a call on tiles of `shape`.
template <class Work>
double rate(const Op& op, const Attrs& attrs, std::size_t inputs, const Shape& shape, int workers, Work work) {
  const Signature signature = signature_of(op, attrs, std::vector<Shape>(inputs, shape));
  const std::vector<Tile> tiles(inputs + 1, Tile{.shape = shape, .origin = Shape{0, 0}, .whole = shape});
  double best = 0;
  for (const Impl& impl : op.implementations()) {
    if (!worth_timing(op, impl) || (impl.fits != nullptr && !impl.fits(Call{tiles, attrs, signature}))) continue;
    const KernelTime t = time_kernel(op, impl, attrs, signature, tiles, kBudget_us, kNoRival_us, workers);
    best = std::max(best, 1e6 * work(cost_of(op, signature, tiles)) / t.median_us);
  }
  return best;
}

}  // namespace

void measure_rates(Machine& m) {
  const int workers = static_cast<int>(std::ranges::count(m.workers, Device::cpu, &Worker::device));
  const double flops = rate(op_called("einsum"), Attrs("mk,kn->mn"), 2, {512, 512}, workers, std::mem_fn(&Cost::flops));
  const double bandwidth = rate(op_called("scale"), {}, 1, {4096, 2048}, workers, std::mem_fn(&Cost::bytes));
  for (Worker& w : m.workers) {
    if (w.device != Device::cpu) continue;
    w.flops = flops;
    w.bandwidth = bandwidth;
  }
}

const Worker& cpu_worker(const Machine& m) {
  for (const Worker& w : m.workers)
    if (w.device == Device::cpu) return w;
  throw Error(Exit::hardware, "no CPU worker to plan for\nset --machine.cpus to at least 1");
}

double roofline_us(const Worker& w, const Cost& c) {
  if (!(w.flops > 0) || !(w.bandwidth > 0))
    throw Error(Exit::internal,
                "the speed of worker " + w.name + " is not known\nmeasure_rates or a machine file gives it");
  return kLatency_us + 1e6 * std::max(c.flops / w.flops, c.bytes / w.bandwidth);
}

}  // namespace pleiad
