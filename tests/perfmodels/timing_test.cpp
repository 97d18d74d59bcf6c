#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <set>
#include <thread>

#include "perfmodels/operands.hpp"
#include "perfmodels/store.hpp"

namespace pleiad {
namespace {

int calls = 0;
bool ids_in_range = true;

void look_up(const Call& c) noexcept {
  ++calls;
  for (Index i = 0; i < c[1].size(); ++i)
    ids_in_range = ids_in_range && c[1].as<std::int32_t>()[i] >= 0 && c[1].as<std::int32_t>()[i] < 5;
  for (Index i = 0; i < c[2].size(); ++i) c[2].as<float>()[i] = c[0].as<float>()[0];
}
std::vector<Sample> samples() { return {{.inputs = {{5, 3}, {4}}, .domains = {Domain::positive, Domain::ids}}}; }

const Op kLookUp{.name = "look_up",
                 .axes = "vc,n->nc",
                 .operands = {Operand{"table"}, Operand{"ids", Element::index}, Operand{"y"}},
                 .impls = {Impl{Device::cpu, "ref", look_up}},
                 .samples = samples};

Signature signature() { return parse_notation("vc,n->nc", std::vector<std::size_t>{2, 1}); }
std::vector<Tile> tiles() {
  return {{.shape = {5, 7}, .origin = {0, 0}, .whole = {5, 7}},
          {.shape = {64}, .origin = {0}, .whole = {64}, .dtype = DType::i32},
          {.shape = {64, 7}, .origin = {0, 0}, .whole = {64, 7}}};
}

TEST(Timing, at_least_five_samples_even_without_a_budget) {
  calls = 0;
  ids_in_range = true;
  const KernelTime t = time_kernel(kLookUp, kLookUp.impls[0], {}, signature(), tiles(), 0);
  EXPECT_GE(t.samples, 5);
  EXPECT_GT(t.median_us, 0);
  EXPECT_GE(t.mad_us, 0);
  EXPECT_GT(calls, t.samples) << "the first call is dropped";
  EXPECT_TRUE(ids_in_range);
}

std::atomic<int> inside = 0;
std::atomic<bool> all_met = false;
void meet(const Call&) noexcept {
  if (++inside == 3) all_met = true;
  std::this_thread::sleep_for(std::chrono::microseconds(100));
  --inside;
}

TEST(Timing, all_workers_run_the_kernel_side_by_side) {
  const Impl impl{Device::cpu, "ref", meet};
  time_kernel(kLookUp, impl, {}, signature(), tiles(), 1e4, std::numeric_limits<double>::infinity(), 3);
  EXPECT_TRUE(all_met);
}

TEST(Operands, as_many_copies_as_a_step_would_touch) {
  const std::size_t one = 64 * 3 + 64 * 4 + 64 * 28;
  Operands operands(kLookUp, signature(), tiles(), 3 * one);
  std::set<const void*> seen;
  for (int i = 0; i < 12; ++i)
    for (const Tile& t : operands.next()) seen.insert(t.data);
  EXPECT_EQ(seen.size(), 9u);
  Operands large(kLookUp, signature(), tiles(), 1);
  EXPECT_EQ(large.next()[0].data, large.next()[0].data);
}

TEST(Operands, values_are_of_the_sample_s_domain) {
  Operands operands(kLookUp, signature(), tiles(), 1);
  const auto t = operands.next();
  std::set<int> ids;
  for (Index i = 0; i < t[0].size(); ++i) EXPECT_GT(t[0].as<float>()[i], 0.4f);
  for (Index i = 0; i < t[1].size(); ++i) ids.insert(t[1].as<std::int32_t>()[i]);
  EXPECT_EQ(ids.size(), 5u) << "every class occurs";
  for (Index i = 0; i < t[2].size(); ++i) EXPECT_TRUE(std::isnormal(t[2].as<float>()[i]));
}

TEST(Operands, values_updated_in_place_do_not_leave_the_normal_range) {
  const Signature scale = parse_notation("&...,...->", std::vector<std::size_t>{1, 1});
  const Op op{.name = "shrink", .axes = "&...,...->"};
  const Tile tile{.shape = {10000}, .origin = {0}, .whole = {10000}};
  Operands operands(op, scale, {tile, tile}, 1);
  for (int i = 0; i < 1000; ++i) {
    operands.renew();
    float& x = operands.next()[0].as<float>()[9999];
    x *= 0.5f;
    ASSERT_TRUE(std::isnormal(x));
  }
}

}  // namespace
}  // namespace pleiad
