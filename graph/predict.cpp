#include <algorithm>
#include <optional>
#include <unordered_map>

#include "graph/planner.hpp"

namespace pleiad {
namespace {

const Impl& impl_of(const Op& op, int i) { return op.impls[static_cast<std::size_t>(i)]; }

/// Implementations for a kind of device that can run the call, in the op's order.
std::vector<int> fitting(const TaskGraph& g, const KernelCall& c, Device device) {
  std::vector<int> found;
  const auto n = static_cast<int>(c.op->implementations().size());
  for (int i = 0; i < n; ++i)
    if (fits(g, c, i, device)) found.push_back(i);
  if (found.empty() && device == Device::cpu)
    throw Error(Exit::usage, "no CPU implementation can run " + kernel_key(g, c));
  return found;
}

/// Calls of one kernel key.
struct Kernel {
  std::string key;
  const KernelCall* call = nullptr;  // one of them
  std::vector<int> fitting;          // for one kind of device
  Cost cost;                         // of all
  int calls = 0;
};
std::vector<Kernel> kernels_of(const TaskGraph& g, Device device = Device::cpu) {
  std::vector<Kernel> kernels;
  std::unordered_map<std::string, std::size_t> index;
  for (const Task& t : g.tasks)
    for (const KernelCall& c : t.calls) {
      const auto [it, is_new] = index.try_emplace(kernel_key(g, c), kernels.size());
      if (is_new) kernels.push_back({it->first, &c, fitting(g, c, device), {}, 0});
      Kernel& k = kernels[it->second];
      k.cost.flops += c.cost.flops;
      k.cost.bytes += c.cost.bytes;
      ++k.calls;
    }
  return kernels;
}

/// Fastest measured implementation, else the first that fits.
int fastest(const Kernel& k, const KernelTimes& times) {
  int best = k.fitting.front();
  double best_us = 0;
  for (int i : k.fitting) {
    const auto t = times.find(k.key, impl_of(*k.call->op, i).name);
    if (!t || (best_us > 0 && t->median_us >= best_us)) continue;
    best = i;
    best_us = t->median_us;
  }
  return best;
}

bool runs(const Kernel& k, int impl) { return std::find(k.fitting.begin(), k.fitting.end(), impl) != k.fitting.end(); }

/// Total time of an op's kernels if `impl` runs those that it can run; none if one of these is not measured.
std::optional<double> total_us(const std::vector<const Kernel*>& kernels, int impl, const KernelTimes& times) {
  double total = 0;
  for (const Kernel* k : kernels) {
    const int used = runs(*k, impl) ? impl : fastest(*k, times);
    const auto t = times.find(k->key, impl_of(*k->call->op, used).name);
    if (t)
      total += k->calls * t->median_us;
    else if (used == impl)
      return {};
  }
  return total;
}

/// The one implementation that is the fastest in total; the first that fits where nothing is measured.
int one_for_all(const std::vector<const Kernel*>& kernels, const KernelTimes& times) {
  int best = kernels.front()->fitting.front();
  std::optional<double> best_us;
  for (int i = 0; i < static_cast<int>(kernels.front()->call->op->implementations().size()); ++i) {
    const bool of_use = std::any_of(kernels.begin(), kernels.end(), [&](const Kernel* k) { return runs(*k, i); });
    const auto us = of_use ? total_us(kernels, i, times) : std::nullopt;
    if (!us || (best_us && *us >= *best_us)) continue;
    best = i;
    best_us = us;
  }
  return best;
}

/// An implementation and how long it takes for one call of some cost.
struct Choice {
  int impl = -1;
  std::optional<KernelTime> time;

  double us(const Worker& w, const Cost& cost) const { return time ? time->median_us : roofline_us(w, cost); }
};

void predict_on_cpus(TaskGraph& g, const Numerics& numerics, const Worker& worker, const KernelTimes& times) {
  std::unordered_map<std::string, Choice> choices;
  for (const Kernel& k : kernels_of(g)) {
    const int pinned = pinned_implementation(g, *k.call, numerics);
    const int impl = pinned >= 0 ? pinned : fastest(k, times);
    choices.emplace(k.key, Choice{impl, times.find(k.key, impl_of(*k.call->op, impl).name)});
  }
  for (Task& t : g.tasks)
    for (KernelCall& c : t.calls) {
      const Choice& choice = choices.at(kernel_key(g, c));
      c.impl = choice.impl;
      c.predicted_us = choice.us(worker, c.cost);
    }
}

void predict_on_gpus(TaskGraph& g, const Worker& worker, const KernelTimes& times) {
  std::unordered_map<std::string, Choice> choices;
  for (const Kernel& k : kernels_of(g, Device::gpu)) {
    if (k.fitting.empty()) continue;
    const int impl = fastest(k, times);
    choices.emplace(k.key, Choice{impl, times.find(k.key, impl_of(*k.call->op, impl).name)});
  }
  for (Task& t : g.tasks)
    for (KernelCall& c : t.calls) {
      const auto choice = choices.find(kernel_key(g, c));
      if (choice == choices.end()) continue;
      c.gpu_impl = choice->second.impl;
      c.gpu_predicted_us = choice->second.us(worker, c.cost);
    }
}

}  // namespace

void predict(TaskGraph& g, const Numerics& numerics, const Machine& m, const KernelTimes& times) {
  predict_on_cpus(g, numerics, cpu_worker(m), times);
  if (const Worker* gpu = gpu_worker(m)) predict_on_gpus(g, *gpu, times);
}

std::vector<MissingKernel> missing_kernels(const TaskGraph& g, const KernelTimes& times, Device device) {
  std::vector<MissingKernel> missing;
  for (const Kernel& k : kernels_of(g, device))
    for (int i : k.fitting) {
      const std::string name = impl_of(*k.call->op, i).name;
      if ((name == "ref" && k.fitting.size() > 1) || times.find(k.key, name)) continue;
      missing.push_back({k.key, k.call->op, i, k.call->attrs, k.call->signature, tiles_of(g, *k.call), k.cost});
    }
  return missing;
}

std::map<std::string, std::string> choose_implementations(const TaskGraph& g, const KernelTimes& times,
                                                          bool deterministic) {
  const auto kernels = kernels_of(g);
  std::map<const Op*, std::vector<const Kernel*>> by_op;
  for (const Kernel& k : kernels) by_op[k.call->op].push_back(&k);
  std::map<std::string, std::string> pins;
  for (const auto& [op, of_op] : by_op) {
    const int one = deterministic ? one_for_all(of_op, times) : -1;
    if (deterministic) pins[std::string(op->name)] = impl_of(*op, one).name;
    for (const Kernel* k : of_op)
      if (!deterministic || !runs(*k, one)) pins[k->key] = impl_of(*op, fastest(*k, times)).name;
  }
  return pins;
}

}  // namespace pleiad
