#include <gtest/gtest.h>

#include "op_checks.hpp"

namespace pleiad::testing {
namespace {

std::vector<std::string> op_names() {
  std::vector<std::string> names;
  for (const Op* op : all_ops()) names.emplace_back(op->name);
  return names;
}

class EveryOp : public ::testing::TestWithParam<std::string> {
 protected:
  void passes(Failure (*check)(const Op&, const Sample&)) {
    const Op& op = *find_op(GetParam());
    for (const Sample& sample : op.samples()) {
      const Failure failure = check(op, sample);
      EXPECT_FALSE(failure) << *failure;
    }
  }
};

TEST_P(EveryOp, IsDeclaredConsistently) { EXPECT_NO_THROW(check_op(*find_op(GetParam()))); }
TEST_P(EveryOp, GradientAgreesWithFiniteDifferences) { passes(check_gradient); }
TEST_P(EveryOp, ImplementationsAgreeWithTheReference) { passes(check_implementations); }
TEST_P(EveryOp, AnyCutGivesTheSame) { passes(check_cuts); }
TEST_P(EveryOp, AddsToWhatIsThereWhenToldTo) { passes(check_accumulate); }
TEST_P(EveryOp, WritesItsOutputsAndNothingElse) { passes(check_memory); }
TEST_P(EveryOp, CostIsPositiveAndLinear) { passes(check_cost); }
TEST_P(EveryOp, RejectsBadShapesByName) { passes(check_bad_shapes); }

INSTANTIATE_TEST_SUITE_P(Ops, EveryOp, ::testing::ValuesIn(op_names()), [](const auto& op) { return op.param; });

}  // namespace
}  // namespace pleiad::testing
