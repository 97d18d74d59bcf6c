#include "codelets/registry.hpp"

#include <algorithm>
#include <cstring>

namespace pleiad {
namespace {

[[noreturn]] void fail(const Op& op, const std::string& what) {
  throw Error(Exit::internal, "op '" + std::string(op.name) + "': " + what);
}

void check_name(const Op& op) {
  const auto valid = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  if (op.name.empty() || !(op.name[0] >= 'a' && op.name[0] <= 'z') || !std::ranges::all_of(op.name, valid))
    fail(op, "a name is that of the symbol: lower-case letters, digits and '_'");
}

void check_impls(const Op& op) {
  const auto impls = op.implementations();
  if (impls.empty()) fail(op, "has no implementation");
  for (const Impl& a : impls) {
    if (!a.name) fail(op, "has an implementation without a name");
    const auto alike = [&](const Impl& b) { return b.device == a.device && std::strcmp(a.name, b.name) == 0; };
    if (std::ranges::count_if(impls, alike) > 1) fail(op, "has implementation " + std::string(a.name) + " twice");
  }
  const Impl& last = impls.back();
  if (last.name != std::string_view("ref") || last.device != Device::cpu)
    fail(op, "the last implementation is 'ref', which runs on CPUs");
}

/// An op whose notation is an attribute names the operands it has at most.
void check_operands(const Op& op, const Signature& s) {
  const auto unnamed = std::ranges::find(op.operands, nullptr, &Operand::name);
  const auto named = static_cast<std::size_t>(unnamed - op.operands.begin());
  if (named < s.operands.size() || (named > s.operands.size() && !op.axes.empty()))
    fail(op, "names " + std::to_string(named) + " operands; its notation has " + std::to_string(s.operands.size()));
}

/// Where the notation is an attribute, not every call has every axis.
void check_over(const Op& op, const std::vector<Sample>& samples) {
  std::string axes;
  for (const Sample& sample : samples) axes += signature_of(op, sample.attrs, sample.inputs).axes;
  for (char a : op.over)
    if (a != '.' && axes.find(a) == axes.npos) fail(op, std::string("costs over axis '") + a + "', which it lacks");
}

void check_combine(const Op& op, const Signature& s) {
  if (!op.combine) return;
  const std::size_t outputs = s.operands.size() - s.inputs();
  const auto named = static_cast<std::size_t>(
      std::ranges::count_if(op.combine->operands, [](const Operand& o) { return o.name != nullptr; }));
  if (named != 3 * outputs) fail(op, "combine takes the outputs of two sides and has as many outputs as the op");
}

void check_sample(const Op& op, const Sample& sample) {
  const Signature s = signature_of(op, sample.attrs, sample.inputs);
  if (sample.domains.size() > sample.inputs.size()) fail(op, "a sample has more domains than inputs");
  check_operands(op, s);
  check_combine(op, s);
  for (std::size_t i = s.inputs(); i < s.operands.size(); ++i) output_shape(op, sample.attrs, s, sample.inputs, i);
}

}  // namespace

const Op* find_op(std::string_view name) {
  const auto ops = all_ops();
  const auto at = std::ranges::find(ops, name, [](const Op* op) { return op->name; });
  return at == ops.end() ? nullptr : *at;
}

void check_op(const Op& op) {
  check_name(op);
  check_impls(op);
  const auto samples = op.samples ? op.samples() : std::vector<Sample>{};
  if (samples.empty()) fail(op, "has no sample");
  for (const Sample& sample : samples) check_sample(op, sample);
  check_over(op, samples);
}

void check_registry() {
  for (const Op* op : all_ops()) {
    check_op(*op);
    if (find_op(op->name) != op) fail(*op, "is there twice");
  }
}

}  // namespace pleiad
