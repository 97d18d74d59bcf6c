#include <gtest/gtest.h>

#include "codelets/registry.hpp"
#include "op_run.hpp"
#include "reference_data.hpp"

namespace pleiad::testing {
namespace {

const std::vector<std::string> kActivations{"relu", "gelu", "silu"};

TEST(Activations, AgreeWithPyTorch) {
  const auto data = reference_data("activations.json");
  for (const std::string& name : kActivations)
    for (DType t : {DType::f64, DType::f32}) {
      const Op& op = *find_op(name);
      for (const Impl& impl : op.implementations()) {
        Problem p(op, {}, {values_of(data["x"], t)}, t);
        run_whole(p, impl);
        const auto d = difference(p.operands[1], values_of(data[name]["y"]), t == DType::f64 ? 1e-15 : 1e-7);
        EXPECT_FALSE(d) << name << " " << impl.name << " " << name_of(t) << ": " << *d;
      }
    }
}

TEST(Activations, GradientsAgreeWithPyTorch) {
  const auto data = reference_data("activations.json");
  for (const std::string& name : kActivations) {
    const Op& op = *find_op(name + "_grad");
    Values ones = values_of(data["x"]);
    for (Index i = 0; i < ones.size(); ++i) ones.set(i, 1);
    const bool from_output = op.operands[0].name == std::string("y");
    Problem p(op, {}, {values_of(from_output ? data[name]["y"] : data["x"]), ones}, DType::f64);
    run_whole(p, reference(op));
    const auto d = difference(p.operands[2], values_of(data[name]["dx"]), 1e-15);
    EXPECT_FALSE(d) << name << ": " << *d;
  }
}

TEST(Activations, NotANumberPassesThrough) {
  for (const std::string& name : kActivations)
    for (const Impl& impl : find_op(name)->implementations()) {
      Values x(DType::f32, {20});
      x.poison();
      Problem p(*find_op(name), {}, {x}, DType::f32);
      run_whole(p, impl);
      for (Index i = 0; i < 20; ++i) EXPECT_TRUE(std::isnan(p.operands[1][i])) << name << " " << impl.name;
    }
}

}  // namespace
}  // namespace pleiad::testing
