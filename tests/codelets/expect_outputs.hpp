#pragma once
#include <gtest/gtest.h>

#include "op_checks.hpp"

namespace pleiad::testing {

/// An operand as plain numbers; ids and counts too.
struct Numbers {
  Shape shape;
  std::vector<double> at;
};

/// Standard normal numbers that every dtype can hold.
inline Numbers normal_numbers(const Shape& shape, unsigned seed) {
  std::mt19937 random(seed);
  Numbers n{shape, std::vector<double>(static_cast<std::size_t>(shape.volume()))};
  for (double& x : n.at)
    x = static_cast<double>(static_cast<float>(Bf16(static_cast<float>(draw(Domain::normal, DType::f64, random)))));
  return n;
}

inline Values values_of(const Numbers& numbers, DType dtype) {
  Values v(dtype, numbers.shape);
  for (Index i = 0; i < v.size(); ++i) v.set(i, numbers.at[static_cast<std::size_t>(i)]);
  return v;
}

inline Problem problem_of(const Op& op, const Attrs& attrs, const std::vector<Numbers>& inputs, DType compute) {
  std::vector<Values> values;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    values.push_back(values_of(inputs[i], element_type(op, attrs, i, compute)));
  return {op, attrs, std::move(values), compute};
}

/// Lets every implementation that fits add its outputs to `before`, or overwrite NaN if there is no `before`, and
/// compares them with `wanted` + `before`.
inline void expect_outputs_of(Problem& p, const std::vector<std::vector<double>>& wanted, std::optional<double> before,
                              DType compute, const Impl& impl) {
  auto tiles = p.tiles();
  for (std::size_t i = p.inputs(); before && i < tiles.size(); ++i) {
    for (Index e = 0; e < p.operands[i].size(); ++e) p.operands[i].set(e, *before);
    tiles[i].accumulate = true;
  }
  if (!fits(p, impl, tiles)) return;
  execute(impl, {.tiles = tiles, .attrs = p.attrs, .signature = p.signature, .step = kStep});
  for (std::size_t o = 0; o < wanted.size(); ++o) {
    Numbers n{p.operands[p.inputs() + o].shape(), wanted[o]};
    for (double& x : n.at) x += before.value_or(0);
    const auto failure = difference(p.operands[p.inputs() + o], values_of(n, DType::f64), tolerance_of(compute));
    EXPECT_FALSE(failure) << p.op.name << " '" << p.op.notation(p.attrs) << "' " << impl.name << " " << name_of(compute)
                          << (before ? " accumulating" : "") << ", output " << o << ": " << *failure;
    EXPECT_TRUE(p.operands[p.inputs() + o].sentinels_intact());
  }
}

/// The same in every dtype, plain and accumulating.
inline void expect_outputs(const Op& op, const Attrs& attrs, const std::vector<Numbers>& inputs,
                           const std::vector<std::vector<double>>& wanted) {
  for (DType compute : kNumeric)
    for (const Impl& impl : op.implementations())
      for (std::optional<double> before : {std::optional<double>(), std::optional<double>(0.5)}) {
        Problem p = problem_of(op, attrs, inputs, compute);
        expect_outputs_of(p, wanted, before, compute, impl);
      }
}

}  // namespace pleiad::testing
