#include <algorithm>
#include <chrono>
#include <cmath>

#include "perfmodels/operands.hpp"
#include "perfmodels/store.hpp"
#include "perfmodels/thread_clock.hpp"

namespace pleiad {
namespace {

// A step's data exceed a core's second-level cache (1-2 MiB) but mostly stay in the shared one.
constexpr std::size_t kFootprintBytes = std::size_t{8} << 20;
constexpr double kSample_us = 30;  // the thread clock costs 0.3 us and must not matter
constexpr std::size_t kFewest = 5, kMost = 400;
constexpr double kSteady = 0.01;  // standard error of the median, relative

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
                       const std::vector<Tile>& tiles, double budget_us) {
  const Stopwatch spent;
  Operands operands(op, signature, tiles, kFootprintBytes);
  const auto run_us = [&](int calls) {
    const double start = thread_us();
    for (int i = 0; i < calls; ++i) impl.run(Call{operands.next(), attrs, signature, Step{1, 1e-3, 1}});
    return (thread_us() - start) / calls;
  };
  run_us(1);
  const int calls = static_cast<int>(std::clamp(kSample_us / std::max(run_us(1), 1e-3), 1.0, 1e4));
  std::vector<double> samples;
  KernelTime time;
  while (samples.size() < kFewest || (samples.size() < kMost && spent.us() < budget_us && !steady(time))) {
    samples.push_back(std::max(run_us(calls), 1e-3));
    time = summary_of(samples);
  }
  return time;
}

}  // namespace pleiad
