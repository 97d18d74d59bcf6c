#include <algorithm>
#include <cstring>

#include "codelets/registry.hpp"
#include "perfmodels/machine.hpp"
#include "perfmodels/store.hpp"
#include "perfmodels/thread_clock.hpp"

namespace pleiad {
namespace {

constexpr double kLatency_us = 0.3;  // a kernel's own start: reading tiles, choosing loops
constexpr Index kGemm = 512;
constexpr double kGemmBudget_us = 3e4;
constexpr std::size_t kCopyBytes = std::size_t{64} << 20;

/// The plain reference counts only where there is nothing else.
bool worth_timing(const Op& op, const Impl& impl) {
  const auto cpu = [](const Impl& i) { return i.device == Device::cpu; };
  const auto all = op.implementations();
  return cpu(impl) && (std::string_view(impl.name) != "ref" || std::count_if(all.begin(), all.end(), cpu) == 1);
}

/// flop/s of the fastest implementation of a 512 x 512 x 512 product in fp32 on the calling thread.
double measure_flops() {
  const Op* op = find_op("einsum");
  if (op == nullptr) throw Error(Exit::internal, "this build has no op einsum to measure the machine with");
  const Attrs attrs("mk,kn->mn");
  const Shape square{kGemm, kGemm};
  const Signature signature = signature_of(*op, attrs, std::vector<Shape>{square, square});
  const std::vector<Tile> tiles(3, Tile{.shape = square, .origin = Shape{0, 0}, .whole = square});
  const double flops = cost_of(*op, signature, tiles).flops;
  double best = 0;
  for (const Impl& impl : op->implementations()) {
    if (!worth_timing(*op, impl) || (impl.fits != nullptr && !impl.fits(Call{tiles, attrs, signature}))) continue;
    best = std::max(best, 1e6 * flops / time_kernel(*op, impl, attrs, signature, tiles, kGemmBudget_us).median_us);
  }
  return best;
}

/// Bytes read and written per second by memcpy.
double measure_bandwidth() {
  std::vector<std::byte> from(kCopyBytes, std::byte{1}), to(kCopyBytes, std::byte{2});
  std::vector<double> samples;
  for (int i = 0; i < 5; ++i) {
    const double start = thread_us();
    std::memcpy(to.data(), from.data(), kCopyBytes);
    from[static_cast<std::size_t>(i)] = to[kCopyBytes - 1];  // the copy is used
    samples.push_back(thread_us() - start);
  }
  return 1e6 * 2 * static_cast<double>(kCopyBytes) / summary_of(samples).median_us;
}

}  // namespace

void measure_rates(Machine& m) {
  const double flops = measure_flops(), bandwidth = measure_bandwidth();
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
