#include <algorithm>
#include <map>
#include <numeric>

#include "codelets/ops/retile.hpp"
#include "graph/graph.hpp"
#include "graph/index.hpp"

namespace pleiad {
namespace {

/// Union-find over the dims of all tensors, numbered one after another.
class Unification {
 public:
  explicit Unification(const Graph& graph) : graph_(graph) {
    for (const Tensor& t : graph.tensors) first_.push_back(first_.back() + static_cast<int>(t.shape.rank()));
    parent_.resize(static_cast<std::size_t>(first_.back()));
    std::iota(parent_.begin(), parent_.end(), 0);
    why_.resize(parent_.size());
  }

  void join_ties() {
    for (auto [a, b] : graph_.ties)
      for (std::size_t d = 0; d < std::min(graph_[a].shape.rank(), graph_[b].shape.rank()); ++d)
        join({a, d}, {b, d}, "a tie");
  }
  void join_axes_of(const Node&);
  Classes result();

 private:
  struct Dim {
    Sym tensor{};
    std::size_t dim = 0;
  };

  int number(Dim x) const { return at(first_, x.tensor.id) + static_cast<int>(x.dim); }
  int root(int i) {
    while (at(parent_, i) != i) i = at(parent_, i) = at(parent_, at(parent_, i));
    return i;
  }
  void join(Dim, Dim, const std::string& by);
  std::string described(Dim x) const {
    const Tensor& t = graph_[x.tensor];
    return t.name + " (" + to_string(t.shape) + ") dimension " + std::to_string(x.dim);
  }
  std::string name_of(Dim) const;
  void add(Classes&, std::vector<int>& class_of_root, Dim);

  const Graph& graph_;
  std::vector<int> first_{0}, parent_;
  std::vector<std::string> why_;  // by dim: op and axis that makes it whole
};

void Unification::join(Dim a, Dim b, const std::string& by) {
  if (graph_[a.tensor].shape[a.dim] != graph_[b.tensor].shape[b.dim])
    throw ShapeError(by + " makes " + described(a) + " and " + described(b) + " one axis, but their extents differ");
  const int x = root(number(a)), y = root(number(b));
  at(parent_, std::max(x, y)) = std::min(x, y);
}

void Unification::join_axes_of(const Node& n) {
  std::map<char, Dim> seen;
  for (std::size_t i = 0; i < n.args.size(); ++i) {
    const std::string& axes = n.signature.operands[i].axes;
    for (std::size_t d = 0; d < axes.size(); ++d) {
      const Dim here{n.args[i], d};
      const std::string by = std::string(n.op->name) + "." + axes[d];
      if (const auto [it, first] = seen.emplace(axes[d], here); !first) join(it->second, here, by);
      if (Signature::whole(axes[d])) at(why_, number(here)) = by;
    }
  }
}

std::string Unification::name_of(Dim x) const {
  const Tensor& t = graph_[x.tensor];
  return x.dim < t.axis_names.size() ? t.axis_names[x.dim] : std::string();
}

void Unification::add(Classes& c, std::vector<int>& class_of_root, Dim x) {
  const int i = number(x);
  int& k = at(class_of_root, root(i));
  if (k < 0) {
    k = count(c.extent);
    c.extent.push_back(graph_[x.tensor].shape[x.dim]);
    c.whole.push_back(false);
    c.why.emplace_back();
    c.name.emplace_back();
  }
  const auto at_class = static_cast<std::size_t>(k);
  if (c.name[at_class].empty()) c.name[at_class] = name_of(x);
  if (!at(why_, i).empty() && !c.whole[at_class]) {
    c.whole[at_class] = true;
    c.why[at_class] = at(why_, i);
  }
  c.of[static_cast<std::size_t>(x.tensor.id)].push_back(k);
}

/// Classes without a name get "tensor.dim"; a name used before gets a number.
void name_classes(const Graph& g, Classes& c) {
  for (std::size_t t = 0; t < c.of.size(); ++t)
    for (std::size_t d = 0; d < c.of[t].size(); ++d)
      if (std::string& name = at(c.name, c.of[t][d]); name.empty()) name = g.tensors[t].name + "." + std::to_string(d);
  std::map<std::string, int> used;
  for (std::string& name : c.name) {
    const std::string wanted = name;
    while (used[name]++ > 0) name = wanted + "#" + std::to_string(used[wanted]);
  }
}

Classes Unification::result() {
  Classes c;
  c.of.resize(graph_.tensors.size());
  std::vector<int> class_of_root(parent_.size(), -1);
  for (int t = 0; t < count(graph_.tensors); ++t)
    for (std::size_t d = 0; d < at(graph_.tensors, t).shape.rank(); ++d) add(c, class_of_root, {{t}, d});
  name_classes(graph_, c);
  return c;
}

}  // namespace

int Classes::find(std::string_view wanted) const {
  const auto it = std::find(name.begin(), name.end(), wanted);
  return it == name.end() ? -1 : static_cast<int>(it - name.begin());
}

Classes unify(const Graph& g) {
  Unification u(g);
  u.join_ties();
  for (const Node& n : g.nodes)
    if (n.op != &retile) u.join_axes_of(n);
  return u.result();
}

}  // namespace pleiad
