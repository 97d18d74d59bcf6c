#include "apps/config/value.hpp"

#include <gtest/gtest.h>

#include "apps/config/field.hpp"

namespace pleiad {
namespace {

TEST(Value, FlagTextBecomesWhatItWouldBeInToml) {
  EXPECT_EQ(std::get<Index>(value_of_flag("12")), 12);
  EXPECT_EQ(std::get<Index>(value_of_flag("-3")), -3);
  EXPECT_EQ(std::get<double>(value_of_flag("1e-3")), 1e-3);
  EXPECT_EQ(std::get<bool>(value_of_flag("true")), true);
  EXPECT_EQ(std::get<std::vector<Index>>(value_of_flag("[512, 256]")), (std::vector<Index>{512, 256}));
  EXPECT_TRUE(std::get<std::vector<Index>>(value_of_flag("[]")).empty());
  EXPECT_EQ(std::get<std::string>(value_of_flag("12x")), "12x");
  EXPECT_EQ(std::get<std::string>(value_of_flag("\"12\"")), "12");
  EXPECT_EQ(std::get<std::string>(value_of_flag("[1,a]")), "[1,a]");
  EXPECT_EQ(std::get<std::string>(value_of_flag("")), "");
}

TEST(Value, DurationsNeedAUnitAndReadBackEqual) {
  EXPECT_EQ(parse_duration("60s")->seconds, 60);
  EXPECT_EQ(parse_duration("1.5h")->seconds, 5400);
  EXPECT_EQ(parse_duration("30 m")->seconds, 1800);
  for (const char* bad : {"60", "", "s", "-5s", "5 parsecs", "nans", "1e999s", "5s6"})
    EXPECT_FALSE(parse_duration(bad)) << bad;
  for (const char* text : {"60s", "30m", "1h", "250us", "1.5h", "0.3us", "17ms", "0s", "3601s", "90s"})
    EXPECT_EQ(parse_duration(to_text(*parse_duration(text))), parse_duration(text)) << text;
  EXPECT_EQ(to_text(Duration{60}), "60s");
  EXPECT_EQ(to_text(Duration{1800}), "30m");
  EXPECT_EQ(to_text(Duration{2.5e-4}), "250us");
}

TEST(Value, MemoryIsBytesOrAShare) {
  EXPECT_EQ(parse_memory("8G")->bytes, Index{8} << 30);
  EXPECT_EQ(parse_memory("1.5MiB")->bytes, 3 << 19);
  EXPECT_DOUBLE_EQ(parse_memory("80%")->share, 0.8);
  for (const char* bad : {"", "8", "0%", "101%", "-1G", "8X", "1e30T"}) EXPECT_FALSE(parse_memory(bad)) << bad;
  EXPECT_EQ(to_toml(*parse_memory("8G")), "\"8G\"");
  EXPECT_EQ(to_toml(*parse_memory("1000B")), "\"1000B\"");
  EXPECT_EQ(to_toml(*parse_memory("80%")), "\"80%\"");
}

TEST(Value, CoreLists) {
  EXPECT_EQ(*parse_core_list("8,0-3"), (std::vector<Index>{0, 1, 2, 3, 8}));
  for (const char* bad : {"", "a", "3-1", "0-99999999999", "1,1", "1,0-2", "-1", "1-"})
    EXPECT_FALSE(parse_core_list(bad)) << bad;
}

}  // namespace
}  // namespace pleiad
