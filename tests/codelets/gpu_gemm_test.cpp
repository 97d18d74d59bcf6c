#include <gtest/gtest.h>

#include <random>

#include "codelets/gpu/gemm.hpp"
#include "gpu_run.hpp"

namespace pleiad::testing {
namespace {

constexpr Index kRows = 37, kColumns = 70, kInner = 21;

std::vector<float> random_numbers(Index n, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> x(static_cast<std::size_t>(n));
  for (float& v : x) v = normal(random);
  return x;
}

/// Memory on the GPU that tests run on.
class Buffer {
 public:
  explicit Buffer(const std::vector<float>& values) : size_(values.size()), memory_(test_gpu()->allocate(4 * size_)) {
    test_gpu()->write(memory_, std::as_bytes(std::span(values)));
  }
  ~Buffer() { test_gpu()->free(memory_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  GpuMemory memory() const { return memory_; }
  std::vector<float> values() const {
    test_gpu()->finish();
    std::vector<float> x(size_);
    test_gpu()->read(memory_, std::as_writable_bytes(std::span(x)));
    return x;
  }

 private:
  std::size_t size_;
  GpuMemory memory_;
};

/// What a library that only multiplies leaves to `gemm_epilogue` gives the same as the whole kernel.
TEST(GpuGemm, EpilogueAfterAPlainProductGivesTheSame) {
  if (test_gpu() == nullptr) GTEST_SKIP() << "there is neither a CUDA nor an OpenCL device";
  GpuQueue& q = test_gpu()->queue();
  const Buffer a(random_numbers(kRows * kInner, 1)), b(random_numbers(kInner * kColumns, 2)),
      bias(random_numbers(kColumns, 3));
  for (int activation = 0; activation < 4; ++activation) {
    GpuGemm g{.m = kRows, .n = kColumns, .k = kInner, .a_row = kInner, .a_col = 1, .b_row = kColumns, .b_col = 1};
    g.c_row = kColumns;
    const std::vector<float> before = random_numbers(kRows * kColumns, 4);
    const Buffer whole(before), whole_kept(before), split(before), split_kept(before);
    const GpuGrid grid{{(kColumns + 63) / 64, 1, 1}, {16, 16, 1}};
    q.run("gemm", DType::f32, grid, a.memory(), b.memory(), bias.memory(), split.memory(), split_kept.memory(), g, 0.5);
    g.bias = g.keep = g.keep_accumulates = 1;
    g.activation = activation;
    q.run("gemm", DType::f32, grid, a.memory(), b.memory(), bias.memory(), whole.memory(), whole_kept.memory(), g, 0.5);
    q.run("gemm_epilogue", DType::f32, grid_of_elements(kRows * kColumns), bias.memory(), split.memory(),
          split_kept.memory(), g, kRows * kColumns);
    const auto y = whole.values(), kept = whole_kept.values(), y2 = split.values(), kept2 = split_kept.values();
    for (std::size_t i = 0; i < y.size(); ++i) {
      EXPECT_NEAR(y2[i], y[i], 1e-5) << "activation " << activation << ", element " << i;
      EXPECT_NEAR(kept2[i], kept[i], 1e-5) << "activation " << activation << ", element " << i;
    }
  }
}

}  // namespace
}  // namespace pleiad::testing
