#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expect_error.hpp"
#include "perfmodels/machine.hpp"

namespace pleiad {
namespace {

const Worker kWorker{.name = "cpu0", .flops = 1e11, .bandwidth = 1e10};

TEST(Roofline, the_scarcer_of_flops_and_bytes_decides) {
  const double latency = roofline_us(kWorker, {});
  EXPECT_GT(latency, 0);
  EXPECT_LT(latency, 5);
  EXPECT_NEAR(roofline_us(kWorker, {.flops = 1e9, .bytes = 1e6}) - latency, 1e4, 1e-6);
  EXPECT_NEAR(roofline_us(kWorker, {.flops = 1e6, .bytes = 1e8}) - latency, 1e4, 1e-6);
}

TEST(Roofline, an_unmeasured_worker_is_not_guessed) {
  EXPECT_THAT(message_of(Exit::internal, [] { roofline_us({.name = "cpu7"}, {.flops = 1}); }),
              testing::HasSubstr("cpu7"));
}

TEST(Roofline, measured_rates_go_to_all_cpu_workers) {
  Machine m;
  m.workers = {{.name = "cpu0"}, {.name = "cuda0", .device = Device::gpu}, {.name = "cpu1"}};
  measure_rates(m);
  EXPECT_GT(m.workers[0].flops, 1e7);
  EXPECT_GT(m.workers[0].bandwidth, 1e7);
  EXPECT_EQ(m.workers[2].flops, m.workers[0].flops);
  EXPECT_EQ(m.workers[2].bandwidth, m.workers[0].bandwidth);
  EXPECT_EQ(m.workers[1].flops, 0);
}

}  // namespace
}  // namespace pleiad
