#include "codelets/op.hpp"

#include <algorithm>

#include "codelets/notation.hpp"

namespace pleiad {
namespace {

std::string operand_name(const Op& op, std::size_t i) {
  const char* name = i < op.operands.size() ? op.operands[i].name : nullptr;
  return name ? name : "operand " + std::to_string(i);
}

/// Where an axis first appears among the inputs.
struct Found {
  std::size_t operand = 0, dim = 0;
};
bool find_axis(const Signature& s, std::size_t operands, char axis, Found& found) {
  for (std::size_t i = 0; i < operands; ++i) {
    const auto dim = s.operands[i].axes.find(axis);
    if (dim == std::string::npos) continue;
    found = {i, dim};
    return true;
  }
  return false;
}

Found must_find(const Signature& s, char axis) {
  Found at;
  if (!find_axis(s, s.operands.size(), axis, at))
    throw Error(Exit::internal, std::string("no operand has axis '") + axis + "'");
  return at;
}

std::string axis_words(char axis) {
  if (axis >= '0' && axis <= '9') return std::string("axis ") + axis + " of '...'";
  return std::string("axis '") + axis + "'";
}

void check_extent(const Op& op, const Attrs& attrs, const Signature& s, std::span<const Shape> inputs, std::size_t i,
                  std::size_t d) {
  const char axis = s.operands[i].axes[d];
  const std::string where = std::string(op.name) + ": " + operand_name(op, i) + " is " + to_string(inputs[i]);
  if (inputs[i][d] < 1) throw ShapeError(where + "; extents start at 1");
  Found first;
  find_axis(s, inputs.size(), axis, first);
  const Index wanted = inputs[first.operand][first.dim];
  if (inputs[i][d] == wanted) return;
  throw ShapeError(where + ", so " + axis_words(axis) + " is " + std::to_string(inputs[i][d]) + ", but it is " +
                   std::to_string(wanted) + " in " + operand_name(op, first.operand) + " (" +
                   to_string(inputs[first.operand]) + "); an axis has one extent in '" +
                   std::string(op.notation(attrs)) + "'");
}

}  // namespace

std::size_t Signature::inputs() const {
  return static_cast<std::size_t>(std::count_if(operands.begin(), operands.end(), [](auto& o) { return !o.output; }));
}

std::string Signature::reduced(std::size_t i) const {
  std::string missing;
  for (char a : axes)
    if (operands[i].axes.find(a) == std::string::npos) missing += a;
  return missing;
}

std::span<const Impl> Op::implementations() const {
  const auto end = std::find_if(impls.begin(), impls.end(), [](const Impl& i) { return i.run == nullptr; });
  return {impls.begin(), end};
}

Signature signature_of(const Op& op, const Attrs& attrs, std::span<const Shape> inputs) {
  std::vector<std::size_t> ranks;
  for (const Shape& s : inputs) ranks.push_back(s.rank());
  const Signature s = parse_notation(op.notation(attrs), ranks, std::string(op.name) + ": ",
                                     [&op](std::size_t i) { return operand_name(op, i); });
  for (std::size_t i = 0; i < inputs.size(); ++i)
    for (std::size_t d = 0; d < inputs[i].rank(); ++d) check_extent(op, attrs, s, inputs, i, d);
  return s;
}

Shape output_shape(const Op& op, const Attrs& attrs, const Signature& s, std::span<const Shape> inputs, std::size_t i) {
  Shape shape;
  for (char axis : s.operands[i].axes) {
    Found at;
    if (find_axis(s, inputs.size(), axis, at))
      shape.push_back(inputs[at.operand][at.dim]);
    else if (op.extent)
      shape.push_back(op.extent(axis, inputs, attrs));
    else
      throw ShapeError(std::string(op.name) + ": " + axis_words(axis) + " of " + operand_name(op, i) +
                       " is in no input, and the op does not say how large it is");
  }
  return shape;
}

DType element_type(const Op& op, const Attrs& attrs, std::size_t i, DType compute) {
  switch (op.operands[i].element) {
    case Element::wide:
      return wide_of(compute);
    case Element::index:
      return DType::i32;
    case Element::attribute:
      return attrs.dtype;
    default:
      return compute;
  }
}

Cost cost_of(const Op& op, const Signature& s, std::span<const Tile> tiles) {
  Cost cost{.flops = op.flops};
  const bool dots = op.over.find("...") != op.over.npos;
  for (char axis : s.axes) {
    const bool costs = op.over.empty() || op.over.find(axis) != op.over.npos || (dots && axis >= '0' && axis <= '9');
    if (costs) cost.flops *= static_cast<double>(axis_extent(axis, s, tiles));
  }
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    const bool read_and_written = s.operands[i].update || tiles[i].accumulate;
    cost.bytes += static_cast<double>(tiles[i].bytes()) * (read_and_written ? 2 : 1);
  }
  return cost;
}

Index axis_extent(char axis, const Signature& s, std::span<const Tile> tiles) {
  const Found at = must_find(s, axis);
  return tiles[at.operand].shape[at.dim];
}

Index whole_extent(char axis, const Signature& s, std::span<const Tile> tiles) {
  const Found at = must_find(s, axis);
  return tiles[at.operand].whole[at.dim];
}

}  // namespace pleiad
