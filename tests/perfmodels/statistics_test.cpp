#include <gtest/gtest.h>

#include "perfmodels/store.hpp"

namespace pleiad {
namespace {

TEST(Summary, median_and_deviation) {
  EXPECT_EQ(summary_of({7}), (KernelTime{7, 0, 1}));
  EXPECT_EQ(summary_of({4, 1, 3}), (KernelTime{3, 1, 3}));
  EXPECT_EQ(summary_of({4, 1, 3, 2}), (KernelTime{2.5, 1, 4}));
}

TEST(Summary, samples_that_are_400_times_too_long_do_not_count) {
  const KernelTime clean = summary_of({190, 191, 189, 190, 192, 190, 188, 191, 190});
  const KernelTime shared = summary_of({190, 191, 189, 76000, 192, 190, 100000, 191, 190});
  EXPECT_EQ(clean.median_us, 190);
  EXPECT_NEAR(shared.median_us, 190, 1);
  EXPECT_LE(shared.mad_us, 2);
}

}  // namespace
}  // namespace pleiad
