#include <algorithm>
#include <chrono>
#include <cmath>

#include "perfmodels/operands.hpp"
#include "perfmodels/store.hpp"
#include "perfmodels/thread_clock.hpp"

namespace pleiad {
namespace {

// A step's data exceed a core's second-level cache (1-2 MiB) but mostly stay in the shared one. Large kernels belong to
// large steps: there the other data of the step push theirs out of the shared cache as well.
constexpr std::size_t kLeastFootprint = std::size_t{8} << 20, kMostFootprint = std::size_t{128} << 20;
constexpr std::size_t kLargeKernelCopies = 4;

std::size_t footprint_bytes(const std::vector<Tile>& tiles) {
  std::size_t bytes = 0;
  for (const Tile& t : tiles) bytes += t.bytes();
  return std::clamp(kLargeKernelCopies * bytes, kLeastFootprint, kMostFootprint);
}
constexpr double kSample_us = 30;  // the thread clock costs 0.3 us and must not matter
constexpr std::size_t kFewest = 5, kMost = 400;
constexpr double kSteady = 0.015;  // standard error of the median, relative
constexpr double kHopeless = 2;    // times the rival

struct Stopwatch {
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  double us() const {
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
  }
};

/// 1.4826 MAD estimates sigma; the median's standard error is 1.2533 sigma / sqrt(n).
bool steady(const KernelTime& t) {
  return 1.2533 * 1.4826 * t.mad_us <= kSteady * t.median_us * std::sqrt(static_cast<double>(t.samples));
}

}  // namespace

KernelTime time_kernel(const Op& op, const Impl& impl, const Attrs& attrs, const Signature& signature,
                       const std::vector<Tile>& tiles, double budget_us, double rival_us) {
  const Stopwatch spent;
  Operands operands(op, signature, tiles, footprint_bytes(tiles));
  const auto run_us = [&](int calls) {
    operands.renew();
    const double start = thread_us();
    for (int i = 0; i < calls; ++i) impl.run(Call{operands.next(), attrs, signature, Step{1, 1e-3, 1}});
    return std::max((thread_us() - start) / calls, 1e-3);
  };
  run_us(1);
  std::vector<double> samples{run_us(1)};
  const int calls = static_cast<int>(std::clamp(kSample_us / samples[0], 1.0, 1e3));
  if (calls > 1) samples.clear();
  const auto hopeless = [&] { return samples.size() == 2 && std::min(samples[0], samples[1]) > kHopeless * rival_us; };
  const auto enough = [&] {
    if (samples.size() < kFewest) return hopeless();
    return samples.size() >= kMost || spent.us() >= budget_us || steady(summary_of(samples));
  };
  while (!enough()) samples.push_back(run_us(calls));
  return summary_of(samples);
}

}  // namespace pleiad
