#pragma once
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <random>
#include <set>

#include "graph/executor.hpp"
#include "graph/index.hpp"
#include "graph/nn.hpp"

#include "codelets/ops/bias_add.hpp"
#include "codelets/ops/einsum.hpp"
#include "codelets/ops/gelu.hpp"

// Small models, what to feed them, and random plans.

namespace pleiad::testing {

using Numbers = std::vector<double>;

inline std::vector<std::byte> to_bytes(const Numbers& values, DType dtype) {
  std::vector<std::byte> bytes(values.size() * size_of(dtype));
  with_stored(dtype, [&]<class T>() {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const T x = static_cast<T>(static_cast<Wide<T>>(values[i]));
      std::memcpy(bytes.data() + i * sizeof(T), &x, sizeof(T));
    }
  });
  return bytes;
}

inline Numbers from_bytes(const std::vector<std::byte>& bytes, DType dtype) {
  Numbers values(bytes.size() / size_of(dtype));
  with_stored(dtype, [&]<class T>() {
    for (std::size_t i = 0; i < values.size(); ++i) {
      T x;
      std::memcpy(&x, bytes.data() + i * sizeof(T), sizeof(T));
      values[i] = static_cast<double>(static_cast<Wide<T>>(x));
    }
  });
  return values;
}

inline Numbers normal(Index n, std::mt19937& random, double scale = 1) {
  std::normal_distribution<double> distribution(0, scale);
  Numbers v(static_cast<std::size_t>(n));
  for (double& x : v) x = distribution(random);
  return v;
}

/// A graph, its loss, and the values of inputs, parameters and states (zero where nothing is given).
struct Model {
  nn::Builder builder{.graph = {}, .inits = {}, .dtype = DType::f64};
  Sym loss, norm;
  std::map<int, Numbers> values;

  Graph& graph() { return builder.graph; }
  const Graph& graph() const { return builder.graph; }
};

inline void feed(Executor& e, const Model& m) {
  for (int t = 0; t < count(m.graph().tensors); ++t) {
    const Tensor& tensor = at(m.graph().tensors, t);
    if (tensor.kind == Kind::temp) continue;
    const auto given = m.values.find(t);
    const Numbers zeros(static_cast<std::size_t>(tensor.shape.volume()));
    e.write({t}, to_bytes(given == m.values.end() ? zeros : given->second, tensor.dtype));
  }
}

inline Numbers read(const Executor& e, const Graph& g, Sym s) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(g[s].shape.volume()) * size_of(g[s].dtype));
  e.read(s, bytes);
  return from_bytes(bytes, g[s].dtype);
}

/// Loss after each step, then every parameter and state.
inline Numbers train(const Model& m, TaskGraph tasks, int steps = 5, std::optional<unsigned> order = {}) {
  SequentialExecutor e(m.graph(), std::move(tasks), order);
  feed(e, m);
  Numbers all;
  for (int s = 1; s <= steps; ++s) {
    e.step({.number = s, .lr = 0.02, .seed = 9});
    all.push_back(read(e, m.graph(), m.loss)[0]);
  }
  for (int t = 0; t < count(m.graph().tensors); ++t) {
    const Kind kind = at(m.graph().tensors, t).kind;
    if (kind != Kind::param && kind != Kind::state) continue;
    const Numbers v = read(e, m.graph(), {t});
    all.insert(all.end(), v.begin(), v.end());
  }
  return all;
}

/// Largest difference; infinite if one of them is not a number.
inline double distance(const Numbers& a, const Numbers& b) {
  double worst = a.size() == b.size() ? 0 : INFINITY;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const double d = std::abs(a[i] - b[i]);
    worst = d <= worst ? worst : std::isnan(d) ? INFINITY : d;
  }
  return worst;
}

inline bool same_bits(const Numbers& a, const Numbers& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](double x, double y) {
           return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
         });
}

inline Numbers random_labels(Index n, Index classes, std::mt19937& random, bool some_ignored) {
  Numbers labels;
  for (Index i = 0; i < n; ++i) {
    const bool ignored = some_ignored && random() % 5 == 0;
    labels.push_back(ignored ? -1 : static_cast<double>(random() % static_cast<unsigned>(classes)));
  }
  return labels;
}

inline void set_parameters(Model& m, std::mt19937& random, double scale = 0.4) {
  for (int t = 0; t < count(m.graph().tensors); ++t)
    if (at(m.graph().tensors, t).kind == Kind::param)
      m.values[t] = normal(at(m.graph().tensors, t).shape.volume(), random, scale);
}

struct MlpShape {
  Index batch = 13, features = 6, classes = 5;
  std::vector<Index> hidden{10, 7};
  nn::Activation activation = nn::Activation::relu;
  double dropout = 0;
  nn::Optimizer optimizer{};
  bool ignored_labels = true;
  DType dtype = DType::f64;
};
inline Model mlp(const MlpShape& s, unsigned seed = 5) {
  Model m;
  m.builder.dtype = s.dtype;
  const nn::Network net = nn::mlp(m.builder, s.batch, s.features, s.hidden, s.classes, s.activation, s.dropout);
  m.loss = net.out.loss;
  m.norm = nn::optimize(m.builder, m.loss, s.optimizer);
  std::mt19937 random(seed);
  m.values[net.x.id] = normal(s.batch * s.features, random);
  m.values[net.labels.id] = random_labels(s.batch, s.classes, random, s.ignored_labels);
  set_parameters(m, random);
  return m;
}

/// Two layers of contractions, biases and GELU: every axis but the classes may be cut.
inline Model contractions(const nn::Optimizer& optimizer = {.grad_clip = 0.5}) {
  Model m;
  nn::Builder& b = m.builder;
  const Axis batch{"batch", 12}, in{"in", 6}, hidden{"hidden", 9}, classes{"classes", 5};
  const Sym x = b.graph.tensor("x", {batch, in}, Kind::input, DType::f64);
  const Sym labels = b.graph.tensor("labels", {batch}, Kind::input, DType::i32);
  const Sym w1 = b.param("w1", {in, hidden}, {.bound = 1}), b1 = b.param("b1", {hidden}, {.bound = 1});
  const Sym w2 = b.param("w2", {hidden, classes}, {.bound = 1}), b2 = b.param("b2", {classes}, {.bound = 1});
  const auto layer = [&](Sym y, Sym w, Sym bias) {
    return b.graph.one(bias_add, {b.graph.one(einsum, {y, w}, einsum_attrs("bi,io->bo")), bias}, Attrs("bo,o->bo"));
  };
  m.loss = nn::cross_entropy(b, layer(b.graph.one(gelu, {layer(x, w1, b1)}), w2, b2), labels).loss;
  m.norm = nn::optimize(b, m.loss, optimizer);
  std::mt19937 random(3);
  m.values[x.id] = normal(12 * 6, random);
  m.values[labels.id] = random_labels(12, 5, random, true);
  set_parameters(m, random);
  return m;
}

inline int random_below(std::mt19937& random, Index n) { return static_cast<int>(random() % static_cast<unsigned>(n)); }

/// Uneven boundaries and lanes for every class that may be cut.
inline Plan random_plan(const Classes& c, std::mt19937& random, int lanes) {
  Plan p;
  for (std::size_t k = 0; k < c.size(); ++k) {
    if (c.whole[k] || c.extent[k] < 2) continue;
    std::set<Index> bounds{0, c.extent[k]};
    for (int cuts = random_below(random, 4); cuts > 0; --cuts) bounds.insert(1 + random_below(random, c.extent[k] - 1));
    Cut cut{.bounds = {bounds.begin(), bounds.end()}, .lane = {}};
    for (std::size_t i = 0; i < cut.tiles(); ++i) cut.lane.push_back(random_below(random, lanes));
    p.numerics.cuts[c.name[k]] = cut;
  }
  return p;
}

/// A random grid of ranks and a random place for the tiles of every class that the plan cuts.
inline void place_at_random(Plan& p, std::mt19937& random) {
  p.placement.grid.clear();
  for (int axes = 1 + random_below(random, 2); axes > 0; --axes)
    p.placement.grid.push_back(
        {.size = 1 + random_below(random, 4), .absent = static_cast<GridAxis::Absent>(random() % 3)});
  p.placement.spread.clear();
  for (const auto& [name, cut] : p.numerics.cuts) {
    if (random() % 2) continue;
    Spread s{.grid_axis = random_below(random, count(p.placement.grid)), .coordinate = {}};
    for (std::size_t i = 0; i < cut.tiles(); ++i)
      s.coordinate.push_back(random_below(random, at(p.placement.grid, s.grid_axis).size));
    p.placement.spread[name] = s;
  }
}

inline TaskGraph lowered(const Model& m, const Plan& p = {}) {
  return lower(m.graph(), unify(m.graph()), p, std::vector<Sym>{m.loss});
}

/// Gives every call a random predicted time.
inline void predict_at_random(TaskGraph& g, std::mt19937& random) {
  for (Task& t : g.tasks)
    for (KernelCall& c : t.calls) c.predicted_us = 1 + random_below(random, 100);
}

}  // namespace pleiad::testing
