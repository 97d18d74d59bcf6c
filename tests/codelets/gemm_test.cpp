#include "codelets/blas/gemm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <thread>
#include <vector>

namespace pleiad {
namespace {

std::vector<float> ramp(std::size_t n) {
  std::vector<float> v;
  for (std::size_t i = 0; i < n; ++i) v.push_back(static_cast<float>(i * 7 % 11) - 5.0f);
  return v;
}

/// Runs a product of small integers, which every backend must get exactly.
std::vector<float> run(const GemmBackend& backend, const Gemm& g) {
  const auto a = ramp(4000), b = ramp(4000), bias = ramp(100);
  std::vector<float> c(4000, g.accumulate ? 3.0f : NAN);
  backend.run(g, {a.data(), b.data(), c.data(), g.bias ? bias.data() : nullptr});
  return c;
}

void expect_exact(const Gemm& g) {
  const auto wanted = run(gemm_ref, g);
  for (const GemmBackend* backend : {&gemm_onednn, &gemm_onednn_sgemm, &gemm_openblas}) {
    if (!backend->fits(g)) continue;
    const auto got = run(*backend, g);
    for (std::size_t i = 0; i < got.size(); ++i) {
      const bool untouched = std::isnan(got[i]) && std::isnan(wanted[i]);
      EXPECT_TRUE(untouched || got[i] == wanted[i]) << backend->name << " element " << i;
    }
  }
}

TEST(Gemm, StridesWithGapsLeaveTheGapsAlone) {
  expect_exact({.m = 5, .n = 7, .k = 3, .a_row = 10, .a_col = 1, .b_row = 1, .b_col = 9, .c_row = 11});
  expect_exact(
      {.m = 5, .n = 7, .k = 3, .a_row = 1, .a_col = 6, .b_row = 8, .b_col = 1, .c_row = 11, .accumulate = true});
}

TEST(Gemm, BatchesBiasAndRelu) {
  const Gemm g{.m = 4,
               .n = 6,
               .k = 5,
               .a_row = 5,
               .a_col = 1,
               .b_row = 6,
               .b_col = 1,
               .c_row = 6,
               .batch = 3,
               .a_batch = 20,
               .b_batch = 30,
               .c_batch = 24};
  expect_exact(g);
  Gemm biased = g;
  biased.bias = biased.relu = true;
  expect_exact(biased);
  Gemm scaled = g;
  scaled.alpha = 2;
  scaled.accumulate = true;
  expect_exact(scaled);
}

TEST(Gemm, PackedOnceForSeveralProducts) {
  const std::pair<Index, Index> strides[] = {{1, 37}, {41, 1}};
  for (const auto& [b_row, b_col] : strides) {
    Gemm g{.m = 5, .n = 41, .k = 37, .a_row = 40, .a_col = 1, .b_row = b_row, .b_col = b_col, .c_row = 41};
    g.bias = true;
    const auto a = ramp(4000), b = ramp(4000), bias = ramp(100);
    std::vector<std::byte> memory(gemm_onednn.packed_bytes(g) + 64);
    void* packed = memory.data();
    std::size_t space = memory.size();
    std::align(64, space - 64, packed, space);
    gemm_onednn.pack(g, b.data(), packed);
    const auto wanted = run(gemm_ref, g);
    g.packed = true;
    for (int i = 0; i < 2; ++i) {
      std::vector<float> c(4000, NAN);
      gemm_onednn.run(g, {a.data(), packed, c.data(), bias.data()});
      EXPECT_TRUE(std::equal(c.begin(), c.begin() + 5 * 41, wanted.begin()));
    }
    EXPECT_FALSE(gemm_onednn_sgemm.fits(g) || gemm_openblas.fits(g) || gemm_ref.fits(g));
  }
}

TEST(Gemm, SumsOfBf16ComeOutUnroundedIfWide) {
  Gemm g{.dtype = DType::bf16, .wide = true, .m = 3, .n = 4, .k = 33};
  g.a_row = g.b_col = 33;
  g.a_col = g.b_row = 1;
  g.c_row = 4;
  const std::vector<Bf16> ones(132, Bf16(1)), tiny(132, Bf16(0.0078125f)), bias(4, Bf16(256));
  for (const GemmBackend* backend : {&gemm_onednn, &gemm_ref}) {
    if (!backend->fits(g)) continue;
    g.bias = true;
    std::vector<float> c(12);
    backend->run(g, {ones.data(), tiny.data(), c.data(), bias.data()});
    for (float x : c) EXPECT_EQ(x, 256 + 33 * 0.0078125f) << backend->name;
  }
}

TEST(Gemm, InterleavedBatches) {
  expect_exact({.m = 4,
                .n = 6,
                .k = 5,
                .a_row = 15,
                .a_col = 1,
                .b_row = 1,
                .b_col = 15,
                .c_row = 18,
                .batch = 3,
                .a_batch = 5,
                .b_batch = 5,
                .c_batch = 6});
}

TEST(Gemm, MatricesThatBlasCannotTakeFitOnlyTheReference) {
  const Gemm g{.m = 4, .n = 6, .k = 5, .a_row = 20, .a_col = 2, .b_row = 6, .b_col = 1, .c_row = 6};
  for (const GemmBackend* backend : {&gemm_onednn, &gemm_onednn_sgemm, &gemm_openblas}) EXPECT_FALSE(backend->fits(g));
  EXPECT_TRUE(gemm_ref.fits(g));
}

TEST(Gemm, ThreadsDoNotDisturbEachOther) {
  const Gemm g{.m = 20, .n = 30, .k = 10, .a_row = 10, .a_col = 1, .b_row = 30, .b_col = 1, .c_row = 30};
  const auto wanted = run(gemm_ref, g);
  std::vector<std::vector<float>> got(4);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < got.size(); ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) got[t] = run(t % 2 ? gemm_onednn : gemm_onednn_sgemm, g);
    });
  for (auto& t : threads) t.join();
  for (const auto& c : got) EXPECT_TRUE(std::equal(c.begin(), c.begin() + 600, wanted.begin()));
}

TEST(Gemm, ManyShapesStayRight) {
  for (Index m = 1; m <= 30; ++m)
    for (Index n = 1; n <= 20; ++n)
      expect_exact({.m = m, .n = n, .k = 2, .a_row = 2, .a_col = 1, .b_row = n, .b_col = 1, .c_row = n});
}

}  // namespace
}  // namespace pleiad
