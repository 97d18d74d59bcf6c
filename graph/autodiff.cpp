#include <algorithm>

#include "codelets/ops/add.hpp"
#include "codelets/ops/fill.hpp"
#include "graph/graph.hpp"
#include "graph/index.hpp"

namespace pleiad {
namespace {

/// Reverse-mode differentiation: runs each op's own rule on the graph itself, last node first.
class Reverse final : public Grad {
 public:
  Reverse(Graph& graph, Sym loss)
      : graph_(graph),
        loss_(loss),
        forward_(count(graph.nodes)),
        parts_(graph.tensors.size()),
        sum_(graph.tensors.size()),
        active_(graph.tensors.size()) {
    find_active();
  }
  std::vector<Sym> run();

  Sym x(int i) override { return at(node_.args, i); }
  Sym y(int i) override { return at(node_.args, static_cast<int>(node_.signature.inputs()) + i); }
  Sym dy(int i) override;
  bool unit_dy() override { return y(0) == loss_ && part(loss_).empty(); }
  bool wants(int i) override { return active_[static_cast<std::size_t>(x(i).id)]; }
  void dx(int i, Sym gradient) override;
  const Attrs& attrs() override { return node_.attrs; }
  const Signature& signature() override { return node_.signature; }
  Shape shape(Sym s) override { return graph_[s].shape; }
  DType dtype(Sym s) override { return graph_[s].dtype; }
  std::vector<Sym> call(const Op& op, const std::vector<Sym>& inputs, const Attrs& a) override {
    return graph_.call(op, inputs, a);
  }

 private:
  /// What is known of a tensor that serves as a gradient.
  struct Adjoint {
    int maker = -1;   // the node that writes it
    int holders = 0;  // how many tensors it is a part of the gradient of
    bool read = false;
  };

  std::vector<Sym>& part(Sym t) { return at(parts_, t.id); }
  void find_active();
  bool differentiable(const Node&) const;
  bool reached();
  void scan();
  bool fresh(Sym part, Sym sum) const;
  void redirect(Sym part, Sym sum);
  Sym constant(Sym like, double value);
  Sym total(Sym);

  Graph& graph_;
  Sym loss_;
  int forward_ = 0;                      // nodes of the forward part
  Node node_;                            // the one whose rule runs; a copy, since the graph grows
  std::vector<std::vector<Sym>> parts_;  // by forward tensor: contributions to its gradient
  std::vector<Sym> sum_;                 // by forward tensor: its gradient, once somebody asked for it
  std::vector<bool> active_;             // by forward tensor: depends on a parameter
  std::vector<Adjoint> adjoints_;        // by tensor
  std::size_t scanned_ = 0;              // nodes that adjoints_ knows of
};

void Reverse::find_active() {
  for (std::size_t t = 0; t < active_.size(); ++t) active_[t] = graph_.tensors[t].kind == Kind::param;
  for (const Node& n : graph_.nodes) {
    if (!differentiable(n)) continue;
    for (std::size_t i = n.signature.inputs(); i < n.args.size(); ++i)
      active_[static_cast<std::size_t>(n.args[i].id)] = true;
  }
}

/// Some input depends on a parameter.
bool Reverse::differentiable(const Node& n) const {
  const auto inputs = static_cast<std::ptrdiff_t>(n.signature.inputs());
  return std::any_of(n.args.begin(), n.args.begin() + inputs,
                     [&](Sym s) { return active_[static_cast<std::size_t>(s.id)]; });
}

bool Reverse::reached() {
  const auto inputs = static_cast<std::ptrdiff_t>(node_.signature.inputs());
  return std::any_of(node_.args.begin() + inputs, node_.args.end(),
                     [&](Sym s) { return s == loss_ || !part(s).empty(); });
}

std::vector<Sym> Reverse::run() {
  const int stage = graph_.stage;
  for (int i = forward_; i-- > 0;) {
    node_ = at(graph_.nodes, i);
    if (!differentiable(node_) || !reached()) continue;
    if (!node_.op->grad)
      throw Error(Exit::internal,
                  std::string(node_.op->name) + " has no gradient rule, but the loss depends on it and on a parameter");
    graph_.stage = node_.stage;
    node_.op->grad(*this);
  }
  for (int t = 0; t < count(parts_); ++t) {
    if (at(graph_.tensors, t).kind != Kind::param) continue;
    graph_.stage = at(graph_.tensors, t).stage;
    total({t});
  }
  graph_.stage = stage;
  return sum_;
}

void Reverse::dx(int i, Sym gradient) {
  if (!wants(i)) return;
  graph_.tie(x(i), gradient);
  scan();
  ++at(adjoints_, gradient.id).holders;
  part(x(i)).push_back(gradient);
}

Sym Reverse::dy(int i) {
  const Sym output = y(i);
  if (output == loss_ && at(sum_, output.id).id < 0) part(output).push_back(constant(output, 1));
  const Sym gradient = total(output);
  return gradient.id >= 0 ? gradient : at(sum_, output.id) = constant(output, 0);
}

Sym Reverse::constant(Sym like, double value) {
  const Shape shape = graph_[like].shape;
  const Sym s = graph_.one(fill, {}, fill_attrs(value, shape));
  graph_[s].dtype = graph_[like].dtype;
  graph_.tie(like, s);
  scan();
  at(adjoints_, s.id).holders = 1;
  return s;
}

/// Learns who makes and reads what in the nodes appended since the last call.
void Reverse::scan() {
  adjoints_.resize(graph_.tensors.size());
  for (; scanned_ < graph_.nodes.size(); ++scanned_) {
    const Node& n = graph_.nodes[scanned_];
    for (std::size_t i = 0; i < n.args.size(); ++i) {
      Adjoint& a = at(adjoints_, n.args[i].id);
      if (n.signature.operands[i].output)
        a.maker = static_cast<int>(scanned_);
      else
        a.read = true;
    }
  }
}

/// Nobody has read or passed on `part`, so what is added to it afterwards disturbs nobody.
bool Reverse::fresh(Sym part, Sym sum) const {
  const Adjoint& a = at(adjoints_, part.id);
  return a.holders == 1 && !a.read && a.maker >= forward_ && (sum.id < 0 || graph_[sum].dtype == graph_[part].dtype);
}

void Reverse::redirect(Sym part, Sym sum) {
  Node& maker = at(graph_.nodes, at(adjoints_, part.id).maker);
  std::replace(maker.args.begin(), maker.args.end(), part, sum);
}

Sym Reverse::total(Sym t) {
  Sym& sum = at(sum_, t.id);
  if (sum.id >= 0) return sum;
  scan();
  std::vector<Sym> others;
  for (Sym p : part(t)) {
    if (!fresh(p, sum))
      others.push_back(p);
    else if (sum.id < 0)
      sum = p;
    else
      redirect(p, sum);
  }
  for (Sym p : others) {
    sum = sum.id < 0 ? p : graph_.one(add, {sum, p});
    graph_.tie(t, sum);
  }
  scan();
  if (sum.id >= 0 && at(adjoints_, sum.id).holders == 0) at(adjoints_, sum.id).holders = 1;
  return sum;
}

}  // namespace

std::vector<Sym> Graph::backward(Sym loss) {
  if ((*this)[loss].shape.volume() != 1)
    throw ShapeError("backward: the loss " + (*this)[loss].name + " must be a scalar, not " +
                     to_string((*this)[loss].shape));
  return Reverse(*this, loss).run();
}

}  // namespace pleiad
