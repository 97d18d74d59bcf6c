#include <algorithm>
#include <functional>

#include "codelets/gpu/device.hpp"
#include "codelets/registry.hpp"
#include "perfmodels/machine.hpp"
#include "perfmodels/store.hpp"

namespace pleiad {
namespace {

constexpr double kLatency_us = 0.3;  // a kernel's own start: reading tiles, choosing loops
constexpr double kBudget_us = 3e4;
constexpr double kNoRival_us = std::numeric_limits<double>::infinity();

/// The plain reference counts only where there is nothing else.
bool worth_timing(const Op& op, const Impl& impl, Device device) {
  const auto fits_device = [&](const Impl& i) { return i.device == device; };
  const auto all = op.implementations();
  return fits_device(impl) && (std::string_view(impl.name) != "ref" || std::ranges::count_if(all, fits_device) == 1);
}

const Op& op_called(const char* name) {
  const Op* op = find_op(name);
  if (op == nullptr)
    throw Error(Exit::internal, "this build has no op " + std::string(name) + " to measure the machine with");
  return *op;
}

/// Work per second in the fastest implementation, for a kind of device, of a call on fp32 tiles of `shape`;
/// time_us(op, impl, attrs, signature, tiles) runs one.
template <class Time, class Work>
double rate(const Op& op, const Attrs& attrs, std::size_t inputs, const Shape& shape, Device device, Time time_us,
            Work work) {
  const Signature signature = signature_of(op, attrs, std::vector<Shape>(inputs, shape));
  const std::vector<Tile> tiles(inputs + 1, Tile{.shape = shape, .origin = Shape{0, 0}, .whole = shape});
  double best = 0;
  for (const Impl& impl : op.implementations()) {
    if (!worth_timing(op, impl, device) || (impl.fits != nullptr && !impl.fits(Call{tiles, attrs, signature})))
      continue;
    best = std::max(best, 1e6 * work(cost_of(op, signature, tiles)) / time_us(op, impl, attrs, signature, tiles));
  }
  return best;
}

/// Of one worker of a kind: flop/s of a product of square matrices, and B/s of a copy.
struct Rates {
  double flops, bandwidth;
};
template <class Time>
Rates rates(Device device, Index square, Time time_us) {
  return {
      rate(op_called("einsum"), Attrs("mk,kn->mn"), 2, {square, square}, device, time_us, std::mem_fn(&Cost::flops)),
      rate(op_called("scale"), {}, 1, {4096, 2048}, device, time_us, std::mem_fn(&Cost::bytes))};
}

constexpr Index kCpuSquare = 512, kGpuSquare = 2048, kGpuOnCpuSquare = 256;

}  // namespace

void measure_rates(Machine& m) {
  const int workers = static_cast<int>(std::ranges::count(m.workers, Device::cpu, &Worker::device));
  const Rates r = rates(Device::cpu, kCpuSquare, [&](const auto&... call) {
    return time_kernel(call..., kBudget_us, kNoRival_us, workers).median_us;
  });
  for (Worker& w : m.workers)
    if (w.device == Device::cpu) w.flops = r.flops, w.bandwidth = r.bandwidth;
}

void measure_gpu_rates(Machine& m) {
  for (Worker& w : m.workers) {
    if (w.device != Device::gpu) continue;
    GpuDevice& gpu = gpu_of(w);
    const Rates r = rates(Device::gpu, gpu.is_cpu() ? kGpuOnCpuSquare : kGpuSquare,
                          [&](const auto&... call) { return time_kernel(gpu, call..., kBudget_us).median_us; });
    w.flops = r.flops;
    w.bandwidth = r.bandwidth;
  }
}

const Worker& cpu_worker(const Machine& m) {
  for (const Worker& w : m.workers)
    if (w.device == Device::cpu) return w;
  throw Error(Exit::hardware, "no CPU worker to plan for\nset --machine.cpus to at least 1");
}

const Worker* gpu_worker(const Machine& m) {
  const auto it = std::ranges::find(m.workers, Device::gpu, &Worker::device);
  return it == m.workers.end() ? nullptr : &*it;
}

double roofline_us(const Worker& w, const Cost& c) {
  if (!(w.flops > 0) || !(w.bandwidth > 0))
    throw Error(Exit::internal,
                "the speed of worker " + w.name + " is not known\nmeasure_rates or a machine file gives it");
  return kLatency_us + 1e6 * std::max(c.flops / w.flops, c.bytes / w.bandwidth);
}

}  // namespace pleiad
