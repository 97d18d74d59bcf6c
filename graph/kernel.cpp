#include <algorithm>

#include "graph/index.hpp"
#include "graph/task_graph.hpp"

namespace pleiad {
namespace {

DType dtype_of_call(const TaskGraph& g, const KernelCall& call) {
  const auto dtype = [&](std::size_t i) { return at(g.buffers, call.args[i].buffer).dtype; };
  for (std::size_t i = 0; i < call.args.size(); ++i)
    if (call.op->operands[i].element == Element::same) return dtype(i);
  return dtype(0);
}

bool has_attribute_type(const Op& op) {
  return std::ranges::any_of(op.operands, [](const Operand& o) { return o.element == Element::attribute; });
}

/// "openblas, simd, ref"
std::string implementation_names(const Op& op) {
  std::string names;
  for (const Impl& i : op.implementations())
    if (i.device == Device::cpu) names.append(names.empty() ? "" : ", ").append(i.name);
  return names;
}

/// Name of the implementation that the plan pins, or null.
const std::string* pinned_name(const TaskGraph& g, const KernelCall& call, const Numerics& n) {
  if (n.implementations.empty()) return nullptr;
  auto it = n.implementations.find(kernel_key(g, call));
  if (it == n.implementations.end()) it = n.implementations.find(std::string(call.op->name));
  return it == n.implementations.end() ? nullptr : &it->second;
}

}  // namespace

std::vector<Tile> tiles_of(const TaskGraph& g, const KernelCall& call) {
  std::vector<Tile> tiles;
  for (const Arg& a : call.args) {
    const Buffer& b = at(g.buffers, a.buffer);
    tiles.push_back({.data = nullptr,
                     .shape = b.shape,
                     .origin = b.origin,
                     .whole = b.whole,
                     .dtype = b.dtype,
                     .accumulate = a.accumulate});
  }
  return tiles;
}

std::string kernel_key(const TaskGraph& g, const KernelCall& call) {
  std::string key(call.op->name);
  if (call.op->axes.empty()) key.append("(").append(g.attrs_of(call).axes.view()).append(")");
  key.append(" ").append(name_of(dtype_of_call(g, call)));
  if (has_attribute_type(*call.op)) key.append(">").append(name_of(g.attrs_of(call).dtype));
  key += " ";
  const auto& operands = g.signature_of(call).operands;
  bool arrow = false;
  for (std::size_t i = 0; i < call.args.size(); ++i) {
    if (operands[i].output && !arrow)
      key += "->";
    else if (i > 0)
      key += ",";
    arrow = operands[i].output;
    if (operands[i].update) key += "&";
    if (call.args[i].accumulate) key += "+";
    key += to_string(at(g.buffers, call.args[i].buffer).shape);
  }
  return key;
}

bool fits(const TaskGraph& g, const KernelCall& call, int impl, Device device) {
  const Impl& i = call.op->impls[static_cast<std::size_t>(impl)];
  if (i.device != device) return false;
  if (!i.fits) return true;
  const auto tiles = tiles_of(g, call);
  return i.fits({.tiles = tiles, .attrs = g.attrs_of(call), .signature = g.signature_of(call), .step = {}});
}

int pinned_implementation(const TaskGraph& g, const KernelCall& call, const Numerics& n) {
  const std::string* name = pinned_name(g, call, n);
  if (!name) return -1;
  const auto impls = call.op->implementations();
  const auto it = std::find_if(impls.begin(), impls.end(),
                               [&](const Impl& i) { return i.device == Device::cpu && *name == i.name; });
  const std::string op(call.op->name),
      choice = "\n         implementations of " + op + ": " + implementation_names(*call.op);
  if (it == impls.end()) throw Error(Exit::usage, "plan: " + op + " has no implementation " + *name + choice);
  const int impl = static_cast<int>(it - impls.begin());
  if (!fits(g, call, impl))
    throw Error(Exit::usage, "plan: implementation " + *name + " cannot run " + kernel_key(g, call) + choice);
  return impl;
}

int implementation_of(const TaskGraph& g, const KernelCall& call, const Numerics& n) {
  if (const int pinned = pinned_implementation(g, call, n); pinned >= 0) return pinned;
  const int impls = static_cast<int>(call.op->implementations().size());
  for (int i = 0; i < impls; ++i)
    if (fits(g, call, i)) return i;
  throw Error(Exit::usage, "no CPU implementation of " + std::string(call.op->name) + " can run " +
                               kernel_key(g, call) + "\n         implementations: " + implementation_names(*call.op));
}

}  // namespace pleiad
