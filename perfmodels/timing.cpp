#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <deque>
#include <thread>

#include "codelets/base/denormals.hpp"
#include "codelets/gpu/device.hpp"
#include "perfmodels/operands.hpp"
#include "perfmodels/store.hpp"
#include "perfmodels/thread_clock.hpp"

namespace pleiad {
namespace {

// A step's data exceed a core's second-level cache (1-2 MiB) but mostly stay in the shared one. Large kernels belong to
// large steps: there the other data of the step push theirs out of the shared cache as well.
constexpr std::size_t kLeastFootprint = std::size_t{8} << 20, kMostFootprint = std::size_t{128} << 20;
constexpr std::size_t kLargeKernelCopies = 4;

/// Of one of `workers` threads, which together touch what a step does.
std::size_t footprint_bytes(const std::vector<Tile>& tiles, int workers) {
  std::size_t bytes = 0;
  for (const Tile& t : tiles) bytes += t.bytes();
  const std::size_t all = std::clamp(kLargeKernelCopies * bytes, kLeastFootprint, kMostFootprint);
  return std::max(all / static_cast<std::size_t>(workers), kLeastFootprint);
}
constexpr double kSample_us = 30;      // the thread clock costs 0.3 us and must not matter
constexpr double kGpuSample_us = 500;  // starting the first kernel and waiting for the last must not matter
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

/// One kernel with operands of its own.
class Runs {
 public:
  Runs(const Op& op, const Impl& impl, const Attrs& attrs, const Signature& signature, const std::vector<Tile>& tiles,
       std::size_t bytes)
      : impl_(impl), attrs_(attrs), signature_(signature), operands_(op, signature, tiles, bytes) {}

  void run(int calls) {
    operands_.renew();
    for (int i = 0; i < calls; ++i) impl_.run(Call{operands_.next(), attrs_, signature_, Step{1, 1e-3, 1}});
  }
  /// CPU time of one call.
  double time_us(int calls) {
    const double start = thread_us();
    run(calls);
    return std::max((thread_us() - start) / calls, 1e-3);
  }

 private:
  const Impl& impl_;
  const Attrs& attrs_;
  const Signature& signature_;
  Operands operands_;
};

/// One kernel on a GPU, with operands of its own there.
class GpuRuns {
 public:
  GpuRuns(GpuDevice& gpu, const Op& op, const Impl& impl, const Attrs& attrs, const Signature& signature,
          const std::vector<Tile>& tiles)
      : gpu_(gpu), impl_(impl), attrs_(attrs), signature_(signature), host_(op, signature, tiles, 1) {
    const auto values = host_.next();
    tiles_.assign(values.begin(), values.end());
    for (Tile& t : tiles_) t.data = memory_.emplace_back(gpu, std::max<std::size_t>(t.bytes(), 1)).handle();
    renew();
  }

  /// Wall-clock time of one call of several in a row.
  double time_us(int calls) {
    renew();
    const Stopwatch watch;
    for (int i = 0; i < calls; ++i) impl_.run(Call{tiles_, attrs_, signature_, Step{1, 1e-3, 1}, &gpu_.queue()});
    gpu_.finish();
    return std::max(watch.us() / calls, 1e-3);
  }

 private:
  class Memory {
   public:
    Memory(GpuDevice& gpu, std::size_t bytes) : gpu_(gpu), memory_(gpu.allocate(bytes)) {}
    ~Memory() { gpu_.free(memory_); }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    void* handle() const { return memory_.handle; }

   private:
    GpuDevice& gpu_;
    GpuMemory memory_;
  };
  /// In-place updates may have led values out of the normal range.
  void renew() {
    const auto values = host_.next();
    for (std::size_t i = 0; i < tiles_.size(); ++i)
      if (tiles_[i].bytes() > 0) gpu_.write({tiles_[i].data}, {values[i].as<const std::byte>(), values[i].bytes()});
    gpu_.finish();
  }

  GpuDevice& gpu_;
  const Impl& impl_;
  const Attrs& attrs_;
  const Signature& signature_;
  Operands host_;
  std::deque<Memory> memory_;
  std::vector<Tile> tiles_;
};

/// Samples of `runs` until the median is steady, the budget is spent or a rival is clearly faster. A sample takes at
/// least `sample_us`.
template <class R>
KernelTime sample(R& runs, double sample_us, double budget_us, double rival_us) {
  const Stopwatch spent;
  std::vector<double> samples{runs.time_us(1)};
  const int calls = static_cast<int>(std::clamp(sample_us / samples[0], 1.0, 1e3));
  if (calls > 1) samples.clear();
  const auto hopeless = [&] { return samples.size() == 2 && std::min(samples[0], samples[1]) > kHopeless * rival_us; };
  const auto enough = [&] {
    if (samples.size() < kFewest) return hopeless();
    return samples.size() >= kMost || spent.us() >= budget_us || steady(summary_of(samples));
  };
  while (!enough()) samples.push_back(runs.time_us(calls));
  return summary_of(samples);
}

/// Threads that run a kernel again and again until destroyed.
class Company {
 public:
  template <class MakeRuns>
  Company(int threads, MakeRuns make) {
    for (int i = 0; i < threads; ++i)
      threads_.emplace_back([this, make](const std::stop_token& stop) {
        const FlushDenormals as_in_a_step;
        Runs runs = make();
        runs.run(1);
        warm_.fetch_add(1);
        warm_.notify_one();
        while (!stop.stop_requested()) runs.run(1);
      });
    for (int warm = 0; warm < threads; warm = warm_.load()) warm_.wait(warm);
  }

 private:
  std::atomic<int> warm_ = 0;
  std::vector<std::jthread> threads_;
};

}  // namespace

KernelTime time_kernel(const Op& op, const Impl& impl, const Attrs& attrs, const Signature& signature,
                       const std::vector<Tile>& tiles, double budget_us, double rival_us, int workers) {
  const auto make = [&] { return Runs(op, impl, attrs, signature, tiles, footprint_bytes(tiles, workers)); };
  const FlushDenormals as_in_a_step;
  Runs runs = make();
  const Company company(workers - 1, make);
  runs.run(1);
  return sample(runs, kSample_us, budget_us, rival_us);
}

KernelTime time_kernel(GpuDevice& gpu, const Op& op, const Impl& impl, const Attrs& attrs, const Signature& signature,
                       const std::vector<Tile>& tiles, double budget_us, double rival_us) {
  GpuRuns runs(gpu, op, impl, attrs, signature, tiles);
  runs.time_us(1);
  return sample(runs, kGpuSample_us, budget_us, rival_us);
}

}  // namespace pleiad
