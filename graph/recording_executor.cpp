#include <algorithm>

#include "graph/executor.hpp"

namespace pleiad {

RecordingExecutor::RecordingExecutor(const Graph& graph, TaskGraph tasks) : graph_(graph), tasks_(std::move(tasks)) {}

void RecordingExecutor::write(Sym s, std::span<const std::byte> values) {
  lines_.push_back("write " + graph_[s].name + " " + std::to_string(values.size()) + " bytes");
}

void RecordingExecutor::read(Sym s, std::span<std::byte> values) const {
  std::fill(values.begin(), values.end(), std::byte{0});
  lines_.push_back("read " + graph_[s].name + " " + std::to_string(values.size()) + " bytes");
}

void RecordingExecutor::step(const Step& step) {
  lines_.push_back("step " + std::to_string(step.number));
  for (const Task& t : tasks_.tasks)
    for (const KernelCall& call : t.calls) lines_.push_back(to_text(graph_, tasks_, call));
}

}  // namespace pleiad
