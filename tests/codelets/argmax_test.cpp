#include "codelets/ops/argmax.hpp"

#include <limits>

#include "codelets/ops/topk.hpp"
#include "expect_error.hpp"
#include "expect_outputs.hpp"

namespace pleiad::testing {
namespace {

/// Compares in every dtype; ids cannot be added to half an id, as expect_outputs would do.
void expect_chosen(const Op& op, const Attrs& attrs, const Numbers& x, const std::vector<std::vector<double>>& wanted) {
  for (DType t : kNumeric)
    for (const Impl& impl : op.implementations()) {
      Problem p = problem_of(op, attrs, {x}, t);
      expect_outputs_of(p, wanted, {}, t, impl);
    }
}

TEST(Argmax, TakesTheFirstOfEqualOnes) {
  expect_chosen(argmax, {}, {{3, 4}, {1, 5, 5, 2, -1, -1, -3, -1, 0, 1, 2, 3}}, {{1, 0, 3}});
}

TEST(Argmax, NanIsTheLargest) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  expect_chosen(argmax, {}, {{3, 3}, {inf, nan, nan, -inf, -inf, -inf, nan, inf, 0}}, {{1, 0, 0}});
}

TEST(Argmax, FindsOneInALongRow) {
  Numbers x = normal_numbers({1, 1000}, 1);
  x.at[777] = 64;
  expect_chosen(argmax, {}, x, {{777}});
}

TEST(Topk, LargestFirstAndTheFirstOfEqualOnes) {
  const Numbers x{{2, 6}, {1, 7, 3, 7, 0, 7, 6, 5, 4, 3, 2, 1}};
  expect_chosen(topk, Attrs::of(TopkAttrs{3}), x, {{7, 7, 7, 6, 5, 4}, {1, 3, 5, 0, 1, 2}});
  expect_chosen(topk, Attrs::of(TopkAttrs{1}), x, {{7, 6}, {1, 0}});
}

TEST(Topk, OfAllIsASort) {
  const Numbers x = normal_numbers({1, 50}, 1);
  std::vector<double> sorted = x.at;
  std::sort(sorted.rbegin(), sorted.rend());
  Problem p = problem_of(topk, Attrs::of(TopkAttrs{50}), {x}, DType::f64);
  run_whole(p, reference(topk));
  for (Index i = 0; i < 50; ++i) {
    EXPECT_EQ(p.operands[1][i], sorted[static_cast<std::size_t>(i)]);
    EXPECT_EQ(p.operands[1][i], x.at[static_cast<std::size_t>(p.operands[2][i])]);
  }
}

TEST(Topk, RefusesMoreThanThereAre) {
  const std::vector<Shape> inputs{{2, 6}};
  const Attrs attrs = Attrs::of(TopkAttrs{7});
  const Signature s = signature_of(topk, attrs, inputs);
  const std::string message = message_of(Exit::usage, [&] { output_shape(topk, attrs, s, inputs, 1); });
  EXPECT_NE(message.find("k = 7"), std::string::npos) << message;
}

}  // namespace
}  // namespace pleiad::testing
