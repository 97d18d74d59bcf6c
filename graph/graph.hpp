#pragma once
#include <string>
#include <utility>
#include <vector>

#include "codelets/op.hpp"

namespace pleiad {

/// All but `temp` outlive a step. `state` belongs to a parameter (optimizer moments, master weights).
enum class Kind : std::uint8_t { temp, input, param, state };

/// One dimension of a logical tensor. Names make plans readable; dims of one class need not share a name.
struct Axis {
  std::string name;
  Index extent = 1;
};

struct Tensor {
  std::string name;
  Shape shape;
  DType dtype = DType::f32;
  Kind kind = Kind::temp;
  int stage = 0;                        // pipeline stage of whoever made it
  Sym family;                           // a parameter, its gradient and its state share one: the parameter
  std::vector<std::string> axis_names;  // one a dimension, "" where nobody named it
};

/// One op on logical tensors: inputs, then outputs, in the order of the signature.
struct Node {
  const Op* op = nullptr;
  Attrs attrs;
  std::vector<Sym> args;
  Signature signature;
  int stage = 0;
};

/// Ops on logical tensors in execution order. A model builds the forward part; `backward` and the optimizer append.
class Graph {
 public:
  std::vector<Tensor> tensors;
  std::vector<Node> nodes;
  std::vector<std::pair<Sym, Sym>> ties;  // tensors whose dims are the same axes: x and its gradient, p and its moments
  int stage = 0;                          // given to what is added next

  const Tensor& operator[](Sym s) const { return tensors[static_cast<std::size_t>(s.id)]; }
  Tensor& operator[](Sym s) { return tensors[static_cast<std::size_t>(s.id)]; }

  Sym tensor(std::string name, std::vector<Axis> axes, Kind, DType = DType::f32);
  /// Appends a call; returns its outputs. Throws ShapeError if the inputs do not fit the op.
  std::vector<Sym> call(const Op&, const std::vector<Sym>& inputs, const Attrs& = {});
  /// The first output of a call.
  Sym one(const Op& op, const std::vector<Sym>& inputs, const Attrs& attrs = {}) { return call(op, inputs, attrs)[0]; }
  /// Appends a call whose outputs are added to existing tensors (made by an earlier call of the same shape).
  void call_into(const Op&, const std::vector<Sym>& inputs, const std::vector<Sym>& outputs, const Attrs& = {});
  void tie(Sym a, Sym b);

  /// Appends the gradient of the scalar `loss`; result[t] is the gradient of tensor t, or Sym{-1}. Adjoints that
  /// nobody has read yet are accumulated into one tensor; the others are added.
  std::vector<Sym> backward(Sym loss);
};

/// Dims of all tensors, grouped into classes: dims of one class have the same boundaries.
struct Classes {
  std::vector<std::vector<int>> of;  // [tensor][dim] -> class
  std::vector<Index> extent;
  std::vector<bool> whole;        // may not be cut
  std::vector<std::string> why;   // op and axis that makes it whole: "softmax_cross_entropy.V"
  std::vector<std::string> name;  // unique: the first axis name in the class, else "tensor.dim"

  std::size_t size() const { return extent.size(); }
  int find(std::string_view name) const;  // -1: none
};
/// Throws ShapeError if dims of one class differ in extent, naming both tensors and the ops that join them.
Classes unify(const Graph&);

}  // namespace pleiad
