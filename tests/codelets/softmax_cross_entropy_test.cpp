#include "codelets/ops/softmax_cross_entropy.hpp"

#include "expect_outputs.hpp"

namespace pleiad::testing {
namespace {

void expect_loss(const Numbers& logits, const std::vector<double>& ids, double count) {
  const auto rows = ids.size(), n = logits.at.size() / rows;
  double loss = 0;
  std::vector<double> dx(logits.at.size());
  for (std::size_t r = 0; r < rows; ++r) {
    if (ids[r] < 0) continue;
    const auto row = logits.at.begin() + static_cast<std::ptrdiff_t>(r * n);
    const double top = *std::max_element(row, row + static_cast<std::ptrdiff_t>(n));
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += std::exp(logits.at[r * n + i] - top);
    for (std::size_t i = 0; i < n; ++i) dx[r * n + i] = std::exp(logits.at[r * n + i] - top) / sum / count;
    const auto id = r * n + static_cast<std::size_t>(ids[r]);
    dx[id] -= 1 / count;
    loss += (std::log(sum) + top - logits.at[id]) / count;
  }
  const Shape of_rows{static_cast<Index>(rows)};
  expect_outputs(softmax_cross_entropy, {}, {logits, {of_rows, ids}, {{}, {count}}}, {{loss}, dx});
}

TEST(SoftmaxCrossEntropy, FollowsTheDefinition) {
  expect_loss(normal_numbers({5, 10}, 1), {0, 9, 3, 4, 5}, 5);
  expect_loss(normal_numbers({1, 1}, 1), {0}, 1);
  expect_loss(normal_numbers({3, 1000}, 1), {999, 0, 17}, 64);
}

TEST(SoftmaxCrossEntropy, IgnoresNegativeIds) {
  expect_loss(normal_numbers({4, 7}, 1), {-1, 2, -100, 6}, 2);
  expect_loss(normal_numbers({2, 7}, 1), {-1, -1}, 1);
}

TEST(SoftmaxCrossEntropy, LargeLogitsNeitherOverflowNorVanish) {
  expect_loss({{2, 3}, {1e4, 0, -1e4, -1e4, -1e4, 1e4}}, {0, 2}, 2);
  expect_loss({{1, 3}, {1e4, 1e4, -1e4}}, {1}, 1);
  expect_loss({{1, 3}, {1e4, 0, -1e4}}, {2}, 1);
}

TEST(SoftmaxCrossEntropy, AllIgnoredIsZeroAndNotNan) {
  Problem p =
      problem_of(softmax_cross_entropy, {}, {normal_numbers({2, 3}, 1), {{2}, {-1, -1}}, {{}, {0}}}, DType::f32);
  run_whole(p, reference(softmax_cross_entropy));
  EXPECT_EQ(p.operands[3][0], 0);
  for (Index i = 0; i < 6; ++i) EXPECT_EQ(p.operands[4][i], 0);
}

TEST(SoftmaxCrossEntropyDeath, UnknownClassEndsTheProcess) {
  Problem p = problem_of(softmax_cross_entropy, {}, {normal_numbers({1, 3}, 1), {{1}, {3}}, {{}, {1}}}, DType::f32);
  EXPECT_EXIT(run_whole(p, reference(softmax_cross_entropy)), ::testing::ExitedWithCode(1),
              "class id 3, but there are 3");
}

}  // namespace
}  // namespace pleiad::testing
