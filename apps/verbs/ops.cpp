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

/// "onednn ref", with the dtypes that it is for where these are not all: "onednn(fp32,bf16) ref".
std::string cell(const Op& op, Device device) {
  std::string text;
  for (const Impl& impl : op.implementations()) {
    if (impl.device != device) continue;
    std::vector<std::string_view> dtypes;
    for (DType t : kNumbers)
      if (supports(op, impl, t)) dtypes.push_back(name_of(t));
    if (dtypes.empty()) continue;
    text += fmt::format("{}{}", text.empty() ? "" : " ", impl.name);
    if (dtypes.size() < kNumbers.size()) text += fmt::format("({})", fmt::join(dtypes, ","));
  }
  return text.empty() ? "-" : text;
}

}  // namespace

int run_ops(const Command& command) {
  if (command.json) {
    auto rows = nlohmann::json::array();
    for (const Op* op : all_ops()) rows.push_back(describe(*op));
    fmt::print("{}\n", rows.dump(2));
    return 0;
  }
  constexpr auto line = " {:<37} {:<4} {:<12} {}\n";
  std::size_t without_gpu = 0;
  fmt::print(line, "op", "grad", "gpu", "cpu");
  for (const Op* op : all_ops()) {
    const std::string gpu = cell(*op, Device::gpu);
    fmt::print(line, op->name, op->grad ? "yes" : "-", gpu, cell(*op, Device::cpu));
    without_gpu += gpu == "-";
  }
  fmt::print(
      "{} ops, {} without a GPU form; fastest implementation first; of fp32, fp64 and bf16 all, or those named\n",
      all_ops().size(), without_gpu);
  return 0;
}

}  // namespace pleiad
