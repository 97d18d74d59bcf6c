#include <gmock/gmock.h>

#include "codelets/kernel.hpp"
#include "codelets/ops/silu.hpp"
#include "op_checks.hpp"

// The checks of properties_test.cpp find what they are there for: each op here is wrong in one way.

namespace pleiad::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Optional;

std::vector<Sample> one_input() { return {{.inputs = {{7, 5}}}}; }
std::vector<Sample> two_inputs() { return {{.inputs = {{7, 5}, {7, 5}}}}; }

/// y = x, but for elements before `first`, and as many as `beyond` after the last.
template <Index first = 0, Index beyond = 0>
struct Copy {
  template <class T>
  static void run(const Call& c) noexcept {
    for (Index i = first; i < c[1].size() + beyond; ++i) put<T>(c[1], i, get<T>(c[0], i % c[0].size()));
  }
};

const Op sound{.name = "sound",
               .axes = "...->...",
               .operands = {{{"x"}, {"y"}}},
               .grad = [](Grad& g) { g.dx(0, g.dy()); },
               .impls = {cpu_impl<Copy<>>("ref")},
               .samples = one_input};

TEST(PlantedErrors, ASoundOpPasses) { EXPECT_EQ(check_everything(sound), std::nullopt); }

struct NegatedGrad {
  template <class M, class T>
  static T f(T x, T dy) {
    const T s = M::sigmoid(x);
    return -dy * s * (T(1) + x * (T(1) - s));
  }
};
const Op negated_grad{.name = "negated_grad",
                      .axes = "...,...->...",
                      .operands = {{{"x"}, {"dy"}, {"dx"}}},
                      .impls = map_impls<NegatedGrad>(),
                      .samples = two_inputs};

TEST(PlantedErrors, WrongGradientSignIsCaught) {
  Op op = silu;
  op.grad = [](Grad& g) { g.dx(0, g.call(negated_grad, {g.x(0), g.dy()})[0]); };
  EXPECT_EQ(check_gradient(silu, silu.samples()[0]), std::nullopt);
  EXPECT_THAT(check_gradient(op, op.samples()[0]), Optional(HasSubstr("finite differences")));
}

TEST(PlantedErrors, ForgottenGradientIsCaught) {
  Op op = find_op("add")[0];
  op.grad = [](Grad& g) { g.dx(0, g.dy()); };
  EXPECT_THAT(check_gradient(op, op.samples()[0]), Optional(HasSubstr("add: b: the rule gives no gradient")));
}

/// y = x - max(x) of each row.
struct BelowMaximum {
  template <class T>
  static void run(const Call& c) noexcept {
    const Index n = c[0].shape.back();
    for (Index i = 0; i < c[0].size(); ++i) {
      const T* row = c[0].as<T>() + i / n * n;
      Wide<T> top = static_cast<Wide<T>>(row[0]);
      for (Index j = 1; j < n; ++j) top = std::max(top, static_cast<Wide<T>>(row[j]));
      put<T>(c[1], i, get<T>(c[0], i) - top);
    }
  }
};

TEST(PlantedErrors, WholeAxisDeclaredCuttableIsCaught) {
  Op op{.name = "below_maximum",
        .axes = "...V->...V",
        .operands = {{{"x"}, {"y"}}},
        .impls = {cpu_impl<BelowMaximum>("ref")},
        .samples = one_input};
  EXPECT_EQ(check_everything(op), std::nullopt);
  op.axes = "...v->...v";
  EXPECT_THAT(check_cuts(op, op.samples()[0]), Optional(HasSubstr("below_maximum: y: ref, cut")));
}

template <bool accumulates>
struct RowSum {
  template <class T>
  static void run(const Call& c) noexcept {
    const Index n = c[0].shape.back();
    for (Index r = 0; r < c[1].size(); ++r) {
      Wide<T> sum = 0;
      for (Index i = 0; i < n; ++i) sum += get<T>(c[0], r * n + i);
      Tile y = c[1];
      y.accumulate = y.accumulate && accumulates;
      put<T>(y, r, sum);
    }
  }
};

TEST(PlantedErrors, IgnoredAccumulateIsCaught) {
  Op op{.name = "row_sum",
        .axes = "bi->b",
        .operands = {{{"x"}, {"y"}}},
        .impls = {cpu_impl<RowSum<true>>("ref")},
        .samples = one_input};
  EXPECT_EQ(check_everything(op), std::nullopt);
  op.impls = {cpu_impl<RowSum<false>>("ref")};
  EXPECT_THAT(check_cuts(op, op.samples()[0]), Optional(HasSubstr("row_sum: y")));
  EXPECT_THAT(check_accumulate(op, op.samples()[0]), Optional(HasSubstr("row_sum: y: ref accumulating in fp32")));
}

struct AddsUnasked {
  template <class T>
  static void run(const Call& c) noexcept {
    Tile y = c[1];
    y.accumulate = true;
    for (Index i = 0; i < y.size(); ++i) put<T>(y, i, get<T>(c[0], i));
  }
};

TEST(PlantedErrors, MissingFirstOverwriteIsCaught) {
  Op op = sound;
  op.impls = {cpu_impl<AddsUnasked>("ref")};
  EXPECT_THAT(check_memory(op, op.samples()[0]), Optional(HasSubstr("unwritten")));
  EXPECT_NE(check_cuts(op, op.samples()[0]), std::nullopt);
}

TEST(PlantedErrors, WritingBesideTheTileIsCaught) {
  Op op = sound;
  op.impls = {cpu_impl<Copy<0, 1>>("ref")};
  EXPECT_THAT(check_memory(op, op.samples()[0]), Optional(HasSubstr("outside of the tile")));
}

TEST(PlantedErrors, AnElementLeftUnwrittenIsCaught) {
  Op op = sound;
  op.impls = {cpu_impl<Copy<1>>("ref")};
  EXPECT_THAT(check_memory(op, op.samples()[0]), Optional(HasSubstr("element 0")));
}

struct WritesInput {
  template <class T>
  static void run(const Call& c) noexcept {
    for (Index i = 0; i < c[1].size(); ++i) c[1].as<T>()[i] = c[0].as<T>()[i];
    c[0].as<T>()[3] = T(0);
  }
};

TEST(PlantedErrors, ChangingAnInputIsCaught) {
  Op op = sound;
  op.impls = {cpu_impl<WritesInput>("ref")};
  EXPECT_THAT(check_memory(op, op.samples()[0]), Optional(HasSubstr("sound: x: ref in fp32 changes an input")));
}

TEST(PlantedErrors, AnImplementationThatDiffersIsCaught) {
  Op op = silu;
  op.impls = {cpu_impl<Copy<>>("simd"), silu.implementations().back()};
  EXPECT_THAT(check_implementations(op, op.samples()[0]), Optional(HasSubstr("silu: y: simd in fp32")));
}

/// Two threads at once find their numbers mixed in one buffer.
struct SharedBuffer {
  template <class T>
  static void run(const Call& c) noexcept {
    static std::atomic<T> shared[64];
    for (Index pass = 0; pass < 50; ++pass)
      for (Index i = 0; i < c[1].size(); ++i) shared[i] = (pass == 0 ? T(0) : shared[i].load()) + c[0].as<T>()[i];
    for (Index i = 0; i < c[1].size(); ++i) put<T>(c[1], i, static_cast<Wide<T>>(shared[i].load() / T(50)));
  }
};

TEST(PlantedErrors, ABufferThatThreadsShareIsCaught) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "needs two processors";
  Op op = sound;
  op.impls = {
      Impl{.device = Device::cpu, .name = "ref", .run = [](const Call& c) noexcept { SharedBuffer::run<float>(c); }}};
  std::optional<std::string> caught;
  for (int attempt = 0; attempt < 20 && !caught; ++attempt) caught = check_threads(op, op.samples()[0]);
  EXPECT_THAT(caught, Optional(HasSubstr("while another thread runs it")));
}

TEST(PlantedErrors, NegativeCostIsCaught) {
  Op op = sound;
  op.flops = -1;
  EXPECT_THAT(check_cost(op, op.samples()[0]), Optional(HasSubstr("costs nothing")));
}

}  // namespace
}  // namespace pleiad::testing
