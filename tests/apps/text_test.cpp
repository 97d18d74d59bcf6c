#include <gmock/gmock.h>

#include <fstream>

#include "apps/config/environment.hpp"
#include "apps/data/load.hpp"
#include "apps/data/loader.hpp"
#include "expect_error.hpp"
#include "temporary_folder.hpp"

namespace pleiad {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Text, WindowsFollowEachOtherAndLabelsAreTheNextToken) {
  const TemporaryFolder folder;
  DataConfig config{.train = folder.write("a.txt", "abcdefghijk"), .val = folder.write("b.txt", "\xff\x01xyz")};
  const auto split = load_data(config, {}, 1, 3);
  ASSERT_EQ(split.train.size(), 3);
  EXPECT_EQ(split.train.classes, 256);
  Loader loader(split.train, 2, 1, false);
  Batch batch;
  loader.fill(1, 0, 2, batch);
  EXPECT_THAT(batch.tokens, ElementsAre('g', 'h', 'i', 0, 0, 0));
  EXPECT_THAT(batch.labels, ElementsAre('h', 'i', 'j', -1, -1, -1));
  loader = Loader(split.val, 1, 1, false);
  loader.fill(0, 0, 1, batch);
  EXPECT_THAT(batch.tokens, ElementsAre(255, 1, 'x'));
  EXPECT_THAT(batch.labels, ElementsAre(1, 'x', 'y'));
}

TEST(Text, ItsEndIsTheTestPart) {
  const TemporaryFolder folder;
  DataConfig config{.train = folder.write("a.txt", "aaaaaaaaaaaaaaabbbbb"), .holdout = 0.25};
  const auto split = load_data(config, {}, 1, 2);
  EXPECT_EQ(split.train.tokens, std::vector<std::int32_t>(15, 'a'));
  EXPECT_EQ(split.val.tokens, std::vector<std::int32_t>(5, 'b'));
  EXPECT_NE(split.train.hash, split.val.hash);
}

TEST(Text, TooShortForOneSample) {
  const TemporaryFolder folder;
  DataConfig config{.train = folder.write("a.txt", "four and more"), .holdout = 0.25};
  EXPECT_THAT(message_of(Exit::data, [&] { load_data(config, {}, 1, 4); }), HasSubstr("--model.context"));
}

TEST(Text, TheBibleOfDebian) {
  const auto split = load_data({.train = "kjv-bible", .holdout = 0.1}, read_environment().data_path, 1, 256);
  EXPECT_GT(split.train.size(), 15000);
  const std::string start(split.train.tokens.begin(), split.train.tokens.begin() + 59);
  EXPECT_EQ(start, "Ge1:1 In the beginning God created the heaven and the earth");
}

}  // namespace
}  // namespace pleiad
