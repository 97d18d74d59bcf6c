#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "apps/verbs/verbs.hpp"
#include "codelets/registry.hpp"

namespace pleiad {
namespace {

constexpr std::array kNumbers = {DType::f32, DType::f64, DType::bf16};

/// The tiles of a sample, one tile a tensor and without data.
std::vector<Tile> tiles_of(const Op& op, const Sample& sample, const Signature& signature, DType compute) {
  std::vector<Tile> tiles;
  for (std::size_t i = 0; i < signature.operands.size(); ++i) {
    const bool given = i < sample.inputs.size();
    const Shape shape = given ? sample.inputs[i] : output_shape(op, sample.attrs, signature, sample.inputs, i);
    Shape origin;
    for (std::size_t d = 0; d < shape.rank(); ++d) origin.push_back(0);
    tiles.push_back({nullptr, shape, origin, shape, element_type(op, sample.attrs, i, compute), false});
  }
  return tiles;
}

bool supports(const Op& op, const Impl& impl, DType compute) {
  if (!impl.fits) return true;
  return std::ranges::any_of(op.samples(), [&](const Sample& sample) {
    const Signature signature = signature_of(op, sample.attrs, sample.inputs);
    const auto tiles = tiles_of(op, sample, signature, compute);
    return impl.fits({tiles, sample.attrs, signature, {}});
  });
}

/// Names of the implementations for one device kind and dtype, fastest first.
std::vector<std::string> implementations(const Op& op, Device device, DType compute) {
  std::vector<std::string> names;
  for (const Impl& impl : op.implementations())
    if (impl.device == device && supports(op, impl, compute)) names.emplace_back(impl.name);
  return names;
}

nlohmann::json describe(const Op& op) {
  nlohmann::json row = {{"name", op.name}, {"axes", op.axes}, {"differentiable", op.grad != nullptr}};
  for (DType t : kNumbers) {
    row["cpu"][name_of(t)] = implementations(op, Device::cpu, t);
    row["gpu"][name_of(t)] = implementations(op, Device::gpu, t);
  }
  return row;
}

std::string cell(const Op& op, DType t) {
  return fmt::format("{}", fmt::join(implementations(op, Device::cpu, t), " "));
}

}  // namespace

int run_ops(const Command& command) {
  if (command.json) {
    auto rows = nlohmann::json::array();
    for (const Op* op : all_ops()) rows.push_back(describe(*op));
    fmt::print("{}\n", rows.dump(2));
    return 0;
  }
  constexpr auto line = " {:<22} {:<5} {:<26} {:<20} {}\n";
  fmt::print(line, "op", "grad", "cpu fp32", "cpu fp64", "cpu bf16");
  for (const Op* op : all_ops())
    fmt::print(line, op->name, op->grad ? "yes" : "-", cell(*op, DType::f32), cell(*op, DType::f64),
               cell(*op, DType::bf16));
  fmt::print("{} ops; fastest implementation first. No op has a GPU implementation yet.\n", all_ops().size());
  return 0;
}

}  // namespace pleiad
