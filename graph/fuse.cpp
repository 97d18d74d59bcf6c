#include <algorithm>

#include "graph/index.hpp"
#include "graph/order.hpp"
#include "graph/task_graph.hpp"

namespace pleiad {
namespace {

/// About what the runtime spends on any task: one that is shorter is not worth being alone.
constexpr double kTrivial_us = 5;

/// Tasks that become one. Clusters are numbered in the order of their first task, and every dependency between two of
/// them goes from the lower to the higher number; a task may join a cluster only if that stays so. Hence no cycle.
struct Cluster {
  Task task;
  double start_us = 0, end_us = 0;  // on unlimited workers
};

class Fusion {
 public:
  Fusion(TaskGraph& g, double grain_us) : graph_(g), grain_us_(grain_us), cluster_of_(g.tasks.size(), -1) {}

  void run() {
    const Edges edges = edges_of(graph_);
    std::vector<std::vector<int>> before(graph_.tasks.size());
    for (int i = 0; i < count(edges.after); ++i)
      for (int next : at(edges.after, i)) at(before, next).push_back(i);
    for (int i = 0; i < count(graph_.tasks); ++i) place(i, at(before, i));
    graph_.tasks.clear();
    for (Cluster& c : clusters_) graph_.tasks.push_back(std::move(c.task));
    set_liveness(graph_);
  }

 private:
  void place(int task, const std::vector<int>& before);
  bool may_join(const Task&, int cluster, const std::vector<int>& needs) const;
  void join(Task&, int cluster, const std::vector<int>& needs);
  double ready_us(const std::vector<int>& needs, int without) const;

  TaskGraph& graph_;
  double grain_us_;
  std::vector<int> cluster_of_;  // by task
  std::vector<Cluster> clusters_;
};

/// When all needed clusters but one have ended.
double Fusion::ready_us(const std::vector<int>& needs, int without) const {
  double ready = 0;
  for (int c : needs)
    if (c != without) ready = std::max(ready, at(clusters_, c).end_us);
  return ready;
}

/// Short enough, on the same rank, not another batch tile (unless one is trivial), and the cluster need not wait
/// noticeably for what else the task needs: otherwise chains that run side by side would become one.
bool Fusion::may_join(const Task& t, int cluster, const std::vector<int>& needs) const {
  const Cluster& c = at(clusters_, cluster);
  const double a = t.predicted_us(), b = c.task.predicted_us(), small = std::min(a, b);
  if (small >= grain_us_ || (a + b > 2 * grain_us_ && small > grain_us_ / 4)) return false;
  const bool same_tile = t.shard == c.task.shard || t.shard < 0 || c.task.shard < 0 || small < kTrivial_us;
  return t.rank == c.task.rank && same_tile && ready_us(needs, cluster) <= c.start_us + grain_us_ / 4;
}

void Fusion::join(Task& t, int cluster, const std::vector<int>& needs) {
  Cluster& c = at(clusters_, cluster);
  c.start_us = std::max(c.start_us, ready_us(needs, cluster));
  c.task.shard = std::max(c.task.shard, t.shard);
  c.task.lane = std::max(c.task.lane, t.lane);
  std::move(t.calls.begin(), t.calls.end(), std::back_inserter(c.task.calls));
  c.end_us = c.start_us + c.task.predicted_us();
}

/// Joins the latest cluster that the task needs, or the latest of all, which batches small independent tasks that
/// belong to no batch tile, such as optimizer updates; else opens a new one.
void Fusion::place(int task, const std::vector<int>& before) {
  Task& t = at(graph_.tasks, task);
  std::vector<int> needs;
  for (int b : before) needs.push_back(at(cluster_of_, b));
  const int latest = needs.empty() ? -1 : *std::max_element(needs.begin(), needs.end());
  const int last = count(clusters_) - 1;
  int chosen = -1;
  if (latest >= 0 && may_join(t, latest, needs)) chosen = latest;
  if (chosen < 0 && last >= 0 && t.shard < 0 && at(clusters_, last).task.shard < 0 && may_join(t, last, needs))
    chosen = last;
  if (chosen < 0) {
    const double start = ready_us(needs, -1);
    chosen = count(clusters_);
    clusters_.push_back({.task = std::move(t), .start_us = start});
    clusters_.back().end_us = start + clusters_.back().task.predicted_us();
  } else {
    join(t, chosen, needs);
  }
  at(cluster_of_, task) = chosen;
}

}  // namespace

void fuse(TaskGraph& g, double grain_us) {
  if (grain_us > 0) Fusion(g, grain_us).run();
}

}  // namespace pleiad
