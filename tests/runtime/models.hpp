#pragma once
#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "graph/executor.hpp"
#include "graph/nn.hpp"
#include "graph/task_graph.hpp"
#include "perfmodels/machine.hpp"
#include "runtime/session.hpp"
#include "temporary_folder.hpp"

namespace pleiad::testing {

/// Whether this process has made no options for a session yet.
inline bool no_session_yet = true;

/// That many workers, on the same core where there are too few.
inline SessionOptions session_options(int workers, const std::string& policy) {
  static const TemporaryFolder models;
  no_session_yet = false;
  SessionOptions options{.policy = policy, .model_folder = models.path().string(), .stall_seconds = 120};
  const std::vector<int> cores = usable_cores();
  for (int w = 0; w < workers; ++w) options.cores.push_back(cores[static_cast<std::size_t>(w) % cores.size()]);
  return options;
}

/// A small multilayer perceptron with Adam and gradient clipping.
struct TrainedMlp {
  nn::Builder builder;
  nn::Network model;

  explicit TrainedMlp(Index batch = 24, const std::vector<Index>& hidden = {16, 8}) {
    model = nn::mlp(builder, batch, 12, hidden, 5, nn::Activation::relu, 0.25);
    nn::optimize(builder, model.out.loss, {.kind = nn::OptimizerKind::adam, .grad_clip = 1.0});
  }
  const Graph& graph() const { return builder.graph; }
  TaskGraph tasks(const Plan& plan) const {
    return lower(graph(), unify(graph()), plan, std::vector<Sym>{model.out.loss, model.out.correct});
  }
};

/// Random boundaries and lanes for every class that may be cut.
inline Plan random_plan(const Graph& graph, std::mt19937& random) {
  const Classes classes = unify(graph);
  Plan plan;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    if (classes.whole[c] || classes.extent[c] < 4) continue;
    Cut cut{{0}, {}};
    while (cut.bounds.back() < classes.extent[c]) {
      cut.bounds.push_back(std::min(classes.extent[c], cut.bounds.back() + 3 + static_cast<Index>(random() % 8)));
      cut.lane.push_back(static_cast<int>(random() % 3));
    }
    plan.numerics.cuts[classes.name[c]] = cut;
  }
  return plan;
}

inline std::vector<std::byte> read(const Executor& e, const Graph& graph, Sym s) {
  std::vector<std::byte> values(static_cast<std::size_t>(graph[s].shape.volume()) * size_of(graph[s].dtype));
  e.read(s, values);
  return values;
}

template <class T>
void write(Executor& e, Sym s, const std::vector<T>& values) {
  e.write(s, std::as_bytes(std::span(values)));
}

/// Writes a batch that depends on the step's number alone.
inline void write_batch(Executor& e, const TrainedMlp& mlp, Index number) {
  std::mt19937 random(static_cast<unsigned>(number));
  std::normal_distribution<float> normal;
  const Index batch = mlp.graph()[mlp.model.labels].shape.volume();
  std::vector<float> x(static_cast<std::size_t>(mlp.graph()[mlp.model.x].shape.volume()));
  std::vector<std::int32_t> labels(static_cast<std::size_t>(batch));
  for (float& v : x) v = normal(random);
  for (auto& l : labels) l = static_cast<std::int32_t>(random() % 6) - 1;
  write(e, mlp.model.x, x);
  write(e, mlp.model.labels, labels);
}

inline void write_initial(Executor& e, const TrainedMlp& mlp) {
  for (const nn::Init& init : mlp.builder.inits) e.write(init.param, initial_values(mlp.graph(), init, 7));
}

/// Everything that outlives a step, and the losses of all steps.
inline std::map<std::string, std::vector<std::byte>> train(Executor& e, const TrainedMlp& mlp, Index steps) {
  std::map<std::string, std::vector<std::byte>> result;
  write_initial(e, mlp);
  for (Index n = 1; n <= steps; ++n) {
    write_batch(e, mlp, n);
    e.step({.number = n, .lr = 0.01, .seed = 3});
    const auto loss = read(e, mlp.graph(), mlp.model.out.loss);
    result["losses"].insert(result["losses"].end(), loss.begin(), loss.end());
  }
  for (int t = 0; t < static_cast<int>(mlp.graph().tensors.size()); ++t) {
    const Tensor& tensor = mlp.graph()[Sym{t}];
    if (tensor.kind == Kind::param || tensor.kind == Kind::state) result[tensor.name] = read(e, mlp.graph(), Sym{t});
  }
  return result;
}

}  // namespace pleiad::testing
