#include "graph/graph.hpp"

#include "graph/index.hpp"

namespace pleiad {
namespace {

std::vector<Shape> shapes_of(const Graph& g, const std::vector<Sym>& symbols) {
  std::vector<Shape> shapes;
  for (Sym s : symbols) shapes.push_back(g[s].shape);
  return shapes;
}

/// Element type that a call computes in: that of its first `same` input, else f32.
DType compute_type(const Graph& g, const Op& op, const std::vector<Sym>& inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (op.operands[i].element == Element::same) return g[inputs[i]].dtype;
  return DType::f32;
}

std::string described(const Graph& g, const Op& op, std::size_t i, Sym s) {
  const char* operand = op.operands[i].name ? op.operands[i].name : "operand";
  return std::string(op.name) + ": " + operand + " = " + g[s].name + " (" + std::string(name_of(g[s].dtype)) + " " +
         to_string(g[s].shape) + ")";
}

void check_dtype(const Graph& g, const Op& op, const Attrs& attrs, std::size_t i, Sym s, DType compute) {
  const DType wanted = element_type(op, attrs, i, compute);
  if (g[s].dtype != wanted)
    throw ShapeError(described(g, op, i, s) + " must be " + std::string(name_of(wanted)) +
                     " when the call computes in " + std::string(name_of(compute)));
}

Signature checked_signature(const Graph& g, const Op& op, const Attrs& attrs, const std::vector<Sym>& inputs) {
  for (Sym s : inputs)
    if (s.id < 0 || s.id >= count(g.tensors))
      throw Error(Exit::internal, std::string(op.name) + ": an input is no tensor of this graph");
  try {
    return signature_of(op, attrs, shapes_of(g, inputs));
  } catch (const ShapeError& e) {
    std::string names;
    for (Sym s : inputs) names += (names.empty() ? "" : ", ") + g[s].name;
    throw ShapeError(std::string(e.what()) + "\n         inputs: " + names);
  }
}

std::string output_name(const Op& op, const Signature& signature, std::size_t i) {
  const std::string name(op.name);
  const bool several = signature.operands.size() - signature.inputs() > 1;
  return several && op.operands[i].name ? name + "." + op.operands[i].name : name;
}

}  // namespace

Sym Graph::tensor(std::string name, std::vector<Axis> axes, Kind kind, DType dtype) {
  if (axes.size() > kMaxRank) throw ShapeError(name + " has " + std::to_string(axes.size()) + " dimensions; 6 at most");
  const Sym s{count(tensors)};
  Tensor t{.name = std::move(name), .dtype = dtype, .kind = kind, .stage = stage};
  if (kind == Kind::param) t.family = s;
  for (Axis& a : axes) {
    if (a.extent < 1) throw ShapeError(t.name + ": axis " + a.name + " has extent " + std::to_string(a.extent));
    t.shape.push_back(a.extent);
    t.axis_names.push_back(std::move(a.name));
  }
  tensors.push_back(std::move(t));
  return s;
}

std::vector<Sym> Graph::call(const Op& op, const std::vector<Sym>& inputs, const Attrs& attrs) {
  const Signature signature = checked_signature(*this, op, attrs, inputs);
  const auto shapes = shapes_of(*this, inputs);
  const DType compute = compute_type(*this, op, inputs);
  std::vector<Sym> outputs;
  for (std::size_t i = inputs.size(); i < signature.operands.size(); ++i) {
    std::vector<Axis> axes;
    for (Index extent : output_shape(op, attrs, signature, shapes, i)) axes.push_back({"", extent});
    outputs.push_back(tensor(output_name(op, signature, i), axes, Kind::temp, element_type(op, attrs, i, compute)));
  }
  call_into(op, inputs, outputs, attrs);
  return outputs;
}

void Graph::call_into(const Op& op, const std::vector<Sym>& inputs, const std::vector<Sym>& outputs,
                      const Attrs& attrs) {
  Node node{.op = &op,
            .attrs = attrs,
            .args = inputs,
            .signature = checked_signature(*this, op, attrs, inputs),
            .stage = stage};
  node.args.insert(node.args.end(), outputs.begin(), outputs.end());
  const auto shapes = shapes_of(*this, inputs);
  const DType compute = compute_type(*this, op, inputs);
  if (node.args.size() != node.signature.operands.size())
    throw ShapeError(std::string(op.name) + ": " + std::to_string(outputs.size()) + " outputs given, " +
                     std::to_string(node.signature.operands.size() - inputs.size()) + " in its notation");
  for (std::size_t i = 0; i < node.args.size(); ++i) {
    check_dtype(*this, op, attrs, i, node.args[i], compute);
    if (i < inputs.size()) continue;
    const Shape shape = output_shape(op, attrs, node.signature, shapes, i);
    if ((*this)[node.args[i]].shape != shape)
      throw ShapeError(described(*this, op, i, node.args[i]) + " must have shape " + to_string(shape));
  }
  nodes.push_back(std::move(node));
}

void Graph::tie(Sym a, Sym b) {
  ties.emplace_back(a, b);
  Tensor &first = (*this)[a], &second = (*this)[b];
  if (second.family.id < 0) second.family = first.family;
}

}  // namespace pleiad
