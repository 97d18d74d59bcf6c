#include "codelets/base/dtype.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace pleiad {
namespace {

float through_bf16(float x) { return static_cast<float>(Bf16(x)); }

TEST(Bf16, RoundsToNearestAndTiesToEven) {
  EXPECT_EQ(through_bf16(1.0f), 1.0f);
  EXPECT_EQ(through_bf16(1.0f + 0x1p-8f), 1.0f);            // tie: down to even
  EXPECT_EQ(through_bf16(1.0f + 0x3p-8f), 1.0f + 0x1p-6f);  // tie: up to even
  EXPECT_EQ(through_bf16(1.0f + 0x1p-8f + 0x1p-20f), 1.0f + 0x1p-7f);
  EXPECT_EQ(through_bf16(-1.0f - 0x1p-8f), -1.0f);
}

TEST(Bf16, KeepsSpecialValues) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(through_bf16(inf), inf);
  EXPECT_EQ(through_bf16(-inf), -inf);
  EXPECT_EQ(through_bf16(std::numeric_limits<float>::max()), inf);
  EXPECT_TRUE(std::signbit(through_bf16(-0.0f)));
  // NaNs whose payload is in the low bits must not become infinite, nor wrap around to zero.
  for (std::uint32_t bits : {0x7f800001u, 0x7fffffffu, 0xff800001u, 0xffffffffu})
    EXPECT_TRUE(std::isnan(through_bf16(std::bit_cast<float>(bits)))) << std::hex << bits;
}

TEST(Bf16, EveryValueSurvives) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float x = std::bit_cast<float>(bits << 16);
    if (!std::isnan(x)) {
      EXPECT_EQ(Bf16(x).bits, bits);
    }
  }
}

TEST(DTypes, SizesAndWideTypes) {
  EXPECT_EQ(size_of(DType::bf16), 2u);
  EXPECT_EQ(size_of(DType::f64), 8u);
  EXPECT_EQ(wide_of(DType::bf16), DType::f32);
  EXPECT_EQ(wide_of(DType::f64), DType::f64);
  EXPECT_EQ(with_dtype(DType::bf16, []<class T>() { return sizeof(T); }), 2u);
  EXPECT_EQ((with_stored(DType::i32, []<class T>() { return dtype_of<T>; })), DType::i32);
}

}  // namespace
}  // namespace pleiad
