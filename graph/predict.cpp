#include <algorithm>
#include <optional>
#include <unordered_map>

#include "graph/planner.hpp"

namespace pleiad {
namespace {

const Worker& cpu_worker(const Machine& m) {
  for (const Worker& w : m.workers)
    if (w.device == Device::cpu) return w;
  throw Error(Exit::hardware, "no CPU worker to plan for\nset --machine.cpus to at least 1");
}

const Impl& impl_of(const Op& op, int i) { return op.impls[static_cast<std::size_t>(i)]; }

/// Implementations for CPUs that can run the call, in the op's order.
std::vector<int> fitting(const TaskGraph& g, const KernelCall& c) {
  const auto tiles = tiles_of(g, c);
  const Call call{tiles, g.attrs_of(c), g.signature_of(c)};
  std::vector<int> found;
  const auto all = c.op->implementations();
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].device == Device::cpu && (all[i].fits == nullptr || all[i].fits(call)))
      found.push_back(static_cast<int>(i));
  if (found.empty()) throw Error(Exit::internal, "no implementation of " + std::string(c.op->name) + " fits this call");
  return found;
}

/// Calls of one kernel key.
struct Kernel {
  std::string key;
  const KernelCall* call = nullptr;  // one of them
  std::vector<int> fitting;
  Cost cost;  // of all
  int calls = 0;
};
std::vector<Kernel> kernels_of(const TaskGraph& g) {
  std::vector<Kernel> kernels;
  std::unordered_map<std::string, std::size_t> index;
  for (const Task& t : g.tasks)
    for (const KernelCall& c : t.calls) {
      const auto [it, is_new] = index.try_emplace(kernel_key(g, c), kernels.size());
      if (is_new) kernels.push_back({it->first, &c, fitting(g, c), {}, 0});
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

std::optional<int> find_impl(const Op& op, std::string_view name) {
  const auto all = op.implementations();
  const auto it = std::find_if(all.begin(), all.end(), [&](const Impl& i) { return i.name == name; });
  if (it == all.end()) return {};
  return static_cast<int>(it - all.begin());
}

/// The implementation pinned under `pin`, or none if it does not fit. Throws if there is no such implementation.
std::optional<int> pinned(const Kernel& k, const std::string& pin, const Numerics& n) {
  const auto it = n.implementations.find(pin);
  if (it == n.implementations.end()) return {};
  const auto impl = find_impl(*k.call->op, it->second);
  if (!impl)
    throw Error(Exit::hardware, "the plan runs " + pin + " by " + it->second + ", which this build does not have");
  return std::find(k.fitting.begin(), k.fitting.end(), *impl) == k.fitting.end() ? std::nullopt : impl;
}

int implementation(const Kernel& k, const Numerics& n, const KernelTimes& times) {
  if (const auto impl = pinned(k, k.key, n)) return *impl;
  if (n.implementations.contains(k.key))
    throw Error(Exit::hardware,
                "the plan runs " + k.key + " by " + n.implementations.at(k.key) + ", which does not fit it here");
  const std::string op(k.call->op->name);
  if (const auto impl = pinned(k, op, n)) return *impl;
  return n.implementations.contains(op) ? k.fitting.front() : fastest(k, times);
}

/// The one implementation that fits every kernel of an op and is the fastest in total; those not measured on every
/// kernel count only if none is.
std::optional<int> one_for_all(const std::vector<const Kernel*>& kernels, const KernelTimes& times) {
  std::optional<int> best, first_fit;
  double best_us = 0;
  for (int i : kernels.front()->fitting) {
    double total_us = 0;
    bool fits = true, measured = true;
    for (const Kernel* k : kernels) {
      const auto t = times.find(k->key, impl_of(*k->call->op, i).name);
      fits = fits && std::find(k->fitting.begin(), k->fitting.end(), i) != k->fitting.end();
      measured = measured && t.has_value();
      total_us += t ? k->calls * t->median_us : 0;
    }
    if (fits && !first_fit) first_fit = i;
    if (fits && measured && (!best || total_us < best_us)) best = i, best_us = total_us;
  }
  return best ? best : first_fit;
}

void pin_each(const std::vector<const Kernel*>& kernels, const KernelTimes& times,
              std::map<std::string, std::string>& pins) {
  for (const Kernel* k : kernels) pins[k->key] = impl_of(*k->call->op, fastest(*k, times)).name;
}

}  // namespace

void predict(TaskGraph& g, const Numerics& numerics, const Machine& m, const KernelTimes& times) {
  const Worker& worker = cpu_worker(m);
  struct Choice {
    int impl;
    std::optional<KernelTime> time;
  };
  std::unordered_map<std::string, Choice> choices;
  for (const Kernel& k : kernels_of(g)) {
    const int impl = implementation(k, numerics, times);
    choices.emplace(k.key, Choice{impl, times.find(k.key, impl_of(*k.call->op, impl).name)});
  }
  for (Task& t : g.tasks)
    for (KernelCall& c : t.calls) {
      const Choice& choice = choices.at(kernel_key(g, c));
      c.impl = choice.impl;
      c.predicted_us = choice.time ? choice.time->median_us : roofline_us(worker, c.cost);
    }
}

std::vector<MissingKernel> missing_kernels(const TaskGraph& g, const KernelTimes& times) {
  std::vector<MissingKernel> missing;
  for (const Kernel& k : kernels_of(g))
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
    const auto one = deterministic ? one_for_all(of_op, times) : std::nullopt;
    if (one)
      pins[std::string(op->name)] = impl_of(*op, *one).name;
    else
      pin_each(of_op, times, pins);
  }
  return pins;
}

}  // namespace pleiad
