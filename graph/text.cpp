#include <algorithm>

#include "graph/index.hpp"
#include "graph/task_graph.hpp"

namespace pleiad {
namespace {

/// "x[0:64,0:784]", "layers.0.weight~1" for the partial sum of lane 1 of a one-tile tensor.
std::string buffer_text(const Graph& graph, const Buffer& b) {
  std::string text = graph[b.tensor].name, range;
  for (std::size_t d = 0; d < b.shape.rank(); ++d)
    range.append(d ? "," : "")
        .append(std::to_string(b.origin[d]))
        .append(":")
        .append(std::to_string(b.origin[d] + b.shape[d]));
  if (!(b.shape == b.whole)) text.append("[").append(range).append("]");
  return b.lane >= 0 ? text.append("~").append(std::to_string(b.lane)) : text;
}

}  // namespace

std::string Task::name() const {
  std::vector<std::string_view> seen;
  std::string all;
  for (const KernelCall& c : calls) {
    if (std::find(seen.begin(), seen.end(), c.op->name) != seen.end()) continue;
    seen.push_back(c.op->name);
    all.append(all.empty() ? "" : "+").append(c.op->name);
  }
  return all;
}

bool Task::runs_on_gpus() const {
  return std::ranges::all_of(calls, [](const KernelCall& c) { return c.gpu_impl >= 0; });
}

double Task::gpu_predicted_us() const {
  double sum = 0;
  for (const KernelCall& c : calls) sum += c.gpu_predicted_us;
  return sum;
}

double Task::predicted_us() const {
  double sum = 0;
  for (const KernelCall& c : calls) sum += c.predicted_us;
  return sum;
}

std::string to_text(const Graph& graph, const TaskGraph& g, const KernelCall& call) {
  std::string text(call.op->name);
  for (const Arg& a : call.args) {
    text += a.access == Access::read ? " " : a.access == Access::write ? " =" : a.accumulate ? " +" : " &";
    text += buffer_text(graph, at(g.buffers, a.buffer));
  }
  return text;
}

std::string to_text(const Graph& graph, const TaskGraph& g) {
  std::string text;
  for (int i = 0; i < count(g.tasks); ++i) {
    const Task& t = at(g.tasks, i);
    text += std::to_string(i) + " lane " + std::to_string(t.lane) + " rank " + std::to_string(t.rank);
    for (std::size_t c = 0; c < t.calls.size(); ++c) text += (c ? "; " : ": ") + to_text(graph, g, t.calls[c]);
    text += "\n";
  }
  return text;
}

}  // namespace pleiad
