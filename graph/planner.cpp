#include "graph/planner.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

namespace pleiad {
namespace {

constexpr double kTie = 1.04;  // steps as close as this are equal: fewer tasks win
constexpr double kGrains_us[] = {0, 100, 300};
constexpr double kKernelBudget_us = 1.2e4;  // for timing one kernel

Index cpu_workers(const Machine& m) {
  const auto cpu = [](const Worker& w) { return w.device == Device::cpu; };
  return std::max<Index>(1, std::count_if(m.workers.begin(), m.workers.end(), cpu));
}

/// Ways to cut the batch. No cut stands for one tile.
std::vector<std::optional<Cut>> cuts_to_try(const Classes& classes, Index workers, const PlanRequest& r) {
  std::vector<std::optional<Cut>> cuts;
  const auto add = [&](Index n, auto&& cut_in_lanes) {
    cuts.push_back(cut_in_lanes(1));
    if (const Index lanes = std::min(n, workers); lanes > 1) cuts.push_back(cut_in_lanes(static_cast<int>(lanes)));
  };
  if (!r.batch_tiles.empty()) {
    add(std::ssize(r.batch_tiles), [&](int lanes) { return cut_of_sizes(r.batch_tiles, lanes); });
    return cuts;
  }
  cuts.push_back({});
  const int batch = classes.find(r.batch_class);
  if (batch < 0 || classes.whole[static_cast<std::size_t>(batch)]) return cuts;
  const Index extent = classes.extent[static_cast<std::size_t>(batch)];
  for (Index n = workers; n <= std::min(extent, 4 * workers); n += workers)
    if (n > 1) add(n, [&](int lanes) { return even_cut(extent, n, lanes); });
  return cuts;
}

void check_pinned_sizes(const Classes& classes, const PlanRequest& r) {
  const int batch = classes.find(r.batch_class);
  if (r.batch_tiles.empty() || batch < 0) return;
  const Index sum = std::accumulate(r.batch_tiles.begin(), r.batch_tiles.end(), Index{0});
  if (sum == classes.extent[static_cast<std::size_t>(batch)]) return;
  throw Error(Exit::usage, "schedule.tiles." + r.batch_class + ": the sizes add up to " + std::to_string(sum) +
                               ", but the " + r.batch_class + " is " +
                               std::to_string(classes.extent[static_cast<std::size_t>(batch)]));
}

/// One way to cut the step, and the best prediction for it so far.
struct Candidate {
  Plan plan;
  TaskGraph lowered;                                              // not fused
  std::size_t missing = std::numeric_limits<std::size_t>::max();  // kernels not timed when it was predicted
  double step_us = 0;
  std::size_t tasks = 0;
};

struct Lowered {
  std::vector<Candidate> candidates;
  MemoryNeed least;  // of all, also those that do not fit
};

/// Lowers every way to cut and keeps those that fit `bytes`.
Lowered lower_all(const Graph& graph, const Classes& classes, Index workers, std::size_t bytes, const PlanRequest& r) {
  Lowered all;
  for (const auto& cut : cuts_to_try(classes, workers, r)) {
    Candidate c;
    if (cut) c.plan.numerics.cuts[r.batch_class] = *cut;
    check_plan(c.plan, classes);
    c.lowered = lower(graph, classes, c.plan, r.keep);
    TaskGraph with_slots = c.lowered;
    assign_slots(with_slots);
    const MemoryNeed need = memory_need(graph, with_slots);
    if (all.least.total_bytes() == 0 || need.total_bytes() < all.least.total_bytes()) all.least = need;
    if (need.total_bytes() <= bytes) all.candidates.push_back(std::move(c));
  }
  return all;
}

/// Predicts a candidate with the times there are, in the grain that suits it best.
void predict_candidate(Candidate& c, const Machine& m, const KernelTimes& times, const PlanRequest& r) {
  c.plan.numerics.implementations = choose_implementations(c.lowered, times, r.deterministic);
  predict(c.lowered, c.plan.numerics, m, times);
  std::vector<double> grains(std::begin(kGrains_us), std::end(kGrains_us));
  if (r.grain_us >= 0) grains = {r.grain_us};
  c.step_us = 0;
  for (double grain : grains) {
    TaskGraph g = c.lowered;
    if (grain > 0) fuse(g, grain);
    set_priorities(g);
    const double step_us = estimate(g, m).step_us;
    const bool clearly = step_us * kTie < c.step_us, tie = step_us < c.step_us * kTie;
    if (c.step_us > 0 && !clearly && !(tie && g.tasks.size() < c.tasks)) continue;
    c.step_us = step_us;
    c.tasks = g.tasks.size();
    c.plan.placement.grain_us = grain;
  }
}

/// Shortest step; among those within the tie, fewest tasks. `timed_only`: unless no candidate is timed throughout.
Candidate& choose(std::vector<Candidate>& all, bool timed_only) {
  std::vector<Candidate*> choice;
  for (Candidate& c : all)
    if (!timed_only || c.missing == 0) choice.push_back(&c);
  if (choice.empty()) return choose(all, false);
  const auto by_step = [](const Candidate* a, const Candidate* b) { return a->step_us < b->step_us; };
  const double shortest = (*std::min_element(choice.begin(), choice.end(), by_step))->step_us;
  std::erase_if(choice, [&](const Candidate* c) { return c->step_us > shortest * kTie; });
  return **std::min_element(choice.begin(), choice.end(),
                            [](const Candidate* a, const Candidate* b) { return a->tasks < b->tasks; });
}

/// Times kernels until its budget is spent.
class Timing {
 public:
  Timing(double budget_us, const Machine& m, KernelTimes& times)
      : budget_us_(budget_us),
        worker_(cpu_worker(m)),
        gpu_(gpu_worker(m)),
        workers_(static_cast<int>(cpu_workers(m))),
        times_(times) {}

  /// Kernels of a task graph that are not timed, for all kinds of workers.
  std::vector<MissingKernel> missing(const TaskGraph& g) const {
    auto all = missing_kernels(g, times_);
    if (gpu_ != nullptr) std::ranges::move(missing_kernels(g, times_, Device::gpu), std::back_inserter(all));
    return all;
  }

  bool over() const { return spent_us_ >= budget_us_; }
  std::size_t timed() const { return timed_; }
  double spent_us() const { return spent_us_; }

  /// The most costly kernels by roofline first; first one implementation of each, then the others.
  void run(const TaskGraph& g, std::vector<MissingKernel> missing) {
    std::map<std::string, int> turns;
    std::vector<std::pair<int, double>> rank;  // turn, cost
    for (const MissingKernel& k : missing) rank.emplace_back(turns[k.key]++, -roofline_us(worker_, k.cost));
    std::vector<std::size_t> order(missing.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return rank[a] < rank[b]; });
    for (std::size_t i : order)
      if (!over()) time(g, missing[i]);
  }

 private:
  void time(const TaskGraph& g, const MissingKernel& k) {
    const auto start = std::chrono::steady_clock::now();
    const Impl& impl = k.op->impls[static_cast<std::size_t>(k.impl)];
    const Attrs& attrs = g.attrs[static_cast<std::size_t>(k.attrs)];
    const Signature& signature = g.signatures[static_cast<std::size_t>(k.signature)];
    const double budget_us = std::min(kKernelBudget_us, budget_us_ - spent_us_);
    times_.set(k.key, impl.name,
               impl.device == Device::gpu
                   ? time_kernel(gpu_of(*gpu_), *k.op, impl, attrs, signature, k.tiles, budget_us, rival_us(k))
                   : time_kernel(*k.op, impl, attrs, signature, k.tiles, budget_us, rival_us(k), workers_));
    spent_us_ += std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
    ++timed_;
  }
  /// The best of the kernel's other implementations for the same kind of device.
  double rival_us(const MissingKernel& k) const {
    const Device device = k.op->impls[static_cast<std::size_t>(k.impl)].device;
    double best = std::numeric_limits<double>::infinity();
    for (const Impl& impl : k.op->implementations())
      if (const auto t = times_.find(k.key, impl.name); t && impl.device == device) best = std::min(best, t->median_us);
    return best;
  }

  double budget_us_;
  const Worker& worker_;
  const Worker* gpu_;  // may be null
  int workers_;
  KernelTimes& times_;
  std::size_t timed_ = 0;
  double spent_us_ = 0;
};

/// Untimed kernels are predicted by roofline, which is optimistic: so only candidates that could win are ever timed,
/// and one that wins although all its kernels are timed is the best.
Plan search(std::vector<Candidate>& candidates, const Machine& m, KernelTimes& times, const PlanRequest& r,
            Timing& timing) {
  for (;;) {
    for (Candidate& c : candidates) {
      const std::size_t missing = timing.missing(c.lowered).size();
      if (std::exchange(c.missing, missing) != missing) predict_candidate(c, m, times, r);
    }
    const Candidate& best = choose(candidates, timing.over());
    if (best.missing == 0 || timing.over()) return best.plan;
    timing.run(best.lowered, timing.missing(best.lowered));
  }
}

std::size_t least_need(const Graph& graph, Index workers, const PlanRequest& r) {
  return lower_all(graph, unify(graph), workers, 0, r).least.total_bytes();
}

/// The largest smaller batch that fits; < 0 if the model cannot be rebuilt.
Index fitting_batch(const Classes& classes, Index workers, std::size_t bytes, const PlanRequest& r) {
  const int batch = classes.find(r.batch_class);
  if (!r.rebuild || batch < 0) return -1;
  PlanRequest request = r;
  request.batch_tiles.clear();
  return largest_batch(bytes, classes.extent[static_cast<std::size_t>(batch)],
                       [&](Index n) { return least_need(r.rebuild(n), workers, request); });
}

}  // namespace

Planned make_plan(const Graph& graph, const Classes& classes, const Machine& m, KernelTimes& times,
                  const PlanRequest& r) {
  check_pinned_sizes(classes, r);
  const Index workers = std::ssize(m.workers);
  const std::size_t bytes = usable_bytes(m, r.memory_share);
  Lowered all = lower_all(graph, classes, workers, bytes, r);
  if (all.candidates.empty()) check_memory(all.least, m, r.memory_share, fitting_batch(classes, workers, bytes, r));
  Timing timing(r.budget_us, m, times);
  const Plan plan = search(all.candidates, m, times, r, timing);
  Planned planned = apply_plan(graph, classes, m, times, plan, r.keep);
  check_memory(planned.memory, m, r.memory_share);
  planned.timed = timing.timed();
  planned.timing_us = timing.spent_us();
  return planned;
}

Planned apply_plan(const Graph& graph, const Classes& classes, const Machine& m, const KernelTimes& times,
                   const Plan& plan, const std::vector<Sym>& keep) {
  check_plan(plan, classes);
  Planned planned{.plan = plan, .tasks = lower(graph, classes, plan, keep)};
  predict(planned.tasks, plan.numerics, m, times);
  if (plan.placement.grain_us > 0) fuse(planned.tasks, plan.placement.grain_us);
  set_priorities(planned.tasks);
  assign_slots(planned.tasks);
  planned.estimate = estimate(planned.tasks, m);
  planned.memory = memory_need(graph, planned.tasks);
  return planned;
}

}  // namespace pleiad
