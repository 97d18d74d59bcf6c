#include "perfmodels/hardware_key.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pleiad {
namespace {

using testing::StartsWith;

TEST(HardwareKey, says_model_cores_and_instructions) {
  EXPECT_THAT(hardware_key("Intel(R) Xeon(R) Processor", 2, "avx512", ""), StartsWith("xeon-2c-avx512-"));
  EXPECT_THAT(hardware_key("Intel(R) Xeon(R) Gold 6330 CPU @ 2.00GHz", 28, "avx512", ""),
              StartsWith("xeon-gold-6330-28c-avx512-"));
  EXPECT_THAT(hardware_key("AMD EPYC 7543 32-Core Processor", 32, "avx2", ""), StartsWith("epyc-7543-32-32c-avx2-"));
  EXPECT_THAT(hardware_key("", 4, "neon", ""), StartsWith("cpu-4c-neon-"));
}

TEST(HardwareKey, differs_where_speed_may_differ) {
  const auto key = [](const char* model, const char* caches) { return hardware_key(model, 2, "avx2", caches); };
  EXPECT_EQ(key("Intel(R) Xeon(R) Processor", "32K 2M"), key("Intel(R) Xeon(R) Processor", "32K 2M"));
  EXPECT_NE(key("Intel(R) Xeon(R) Processor", "32K 2M"), key("Intel(R) Xeon(R) Processor", "32K 1M"));
  EXPECT_NE(key("Intel Xeon", ""), key("Intel(R) Xeon(R)", ""));
}

TEST(HardwareKey, names_a_folder) {
  EXPECT_EQ(hardware_key("A/B: ../x\n\"y\"", 2, "avx2", "").find_first_of("/\\:\"\n "), std::string::npos);
}

}  // namespace
}  // namespace pleiad
