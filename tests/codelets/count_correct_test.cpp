#include "codelets/ops/count_correct.hpp"

#include "expect_outputs.hpp"

namespace pleiad::testing {
namespace {

TEST(CountCorrect, FirstLargestLogitCounts) {
  const Numbers logits{{4, 3}, {1, 3, 2, 5, 5, 0, -1, -2, -1, 0, 0, 0}};
  expect_outputs(count_correct, {}, {logits, {{4}, {1, 0, 2, 0}}}, {{3}});
}

TEST(CountCorrect, NegativeIdsNeverCount) {
  expect_outputs(count_correct, {}, {normal_numbers({3, 4}, 1), {{3}, {-1, -1, -1}}}, {{0}});
}

}  // namespace
}  // namespace pleiad::testing
