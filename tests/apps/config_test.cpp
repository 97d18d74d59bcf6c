#include "apps/config/config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/config/presets.hpp"
#include "apps/config/render.hpp"
#include "apps/config/resolve.hpp"
#include "apps/config/schema.hpp"
#include "apps/config/suggest.hpp"
#include "expect_error.hpp"
#include "temporary_folder.hpp"

namespace pleiad {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class ConfigFile : public ::testing::Test {
 protected:
  /// Message of the error that a file with this text gives.
  std::string error_in(std::string_view text) {
    folder_.write("my.toml", text);
    return message_of(Exit::usage, [&] { check_complete(resolve(file_, {})); });
  }
  Config config_in(std::string_view text, std::vector<Setting> settings = {}) {
    folder_.write("my.toml", text);
    return resolve(file_, settings).config;
  }
  std::string at(int line, int column) const {
    return file_ + ":" + std::to_string(line) + ":" + std::to_string(column);
  }

  TemporaryFolder folder_;
  std::string file_ = folder_.path() / "my.toml";
};

TEST_F(ConfigFile, UnknownKeyNamesLineColumnAndWhatWasMeant) {
  const auto message = error_in("[train]\nsteps = 5\n  batchsize = 3\n");
  EXPECT_THAT(message, StartsWith(at(3, 3) + ": unknown key train.batchsize\n"));
  EXPECT_THAT(message, HasSubstr("did you mean train.batch?   (pleiad config explain train)"));
}

TEST_F(ConfigFile, UnknownSectionsAreFoundEvenWhenEmpty) {
  EXPECT_THAT(error_in("[optm]\nlr = 1\n"), HasSubstr("did you mean optim.lr?"));
  EXPECT_THAT(error_in("[nonsense]\n"), HasSubstr("unknown key nonsense"));
  EXPECT_THAT(error_in("batch = 3\n"), HasSubstr("did you mean train.batch?"));
}

TEST_F(ConfigFile, WrongTypeAndRangePointAtTheValue) {
  EXPECT_EQ(error_in("[train]\nbatch = \"many\"\n"),
            at(2, 9) + ": train.batch must be a whole number >= 1, not \"many\"\n(pleiad config explain train.batch)");
  EXPECT_THAT(error_in("[train]\nbatch = 0\n"), HasSubstr("not 0"));
  EXPECT_THAT(error_in("[model]\nhidden = [512, 0]\n"), HasSubstr("not [512, 0]"));
  EXPECT_THAT(error_in("[model]\nhidden = [512, \"a\"]\n"), HasSubstr("a list that holds something else"));
  EXPECT_THAT(error_in("[model]\ndropout = 1.0\n"), HasSubstr("a number in [0, 1)"));
  EXPECT_THAT(error_in("[optim]\nlr = nan\n"), HasSubstr("not nan"));
  EXPECT_THAT(error_in("[optim]\nlr = 2020-01-01\n"), HasSubstr("a date or time"));
  EXPECT_THAT(error_in("[data]\nshuffle = 1\n"), HasSubstr("true or false"));
  EXPECT_THAT(error_in("[train]\nstall = 60\n"), HasSubstr("a time such as \"60s\""));
  EXPECT_THAT(error_in("train = 3\n"), HasSubstr("train"));
}

TEST_F(ConfigFile, ChoicesSuggestTheNearest) {
  EXPECT_THAT(error_in("[optim]\nkind = \"adma\"\n"), HasSubstr("did you mean adam?"));
  EXPECT_THAT(error_in("[schedule]\npolicy = \"dmads\"\n"), HasSubstr("did you mean dmdas?"));
  EXPECT_THAT(error_in("[numerics]\ndtype = \"fp23\"\n"), HasSubstr("did you mean fp32?"));
}

TEST_F(ConfigFile, TextThatIsNotTomlPointsAtThePlace) {
  EXPECT_THAT(error_in("[train]\nbatch = = 3\n"), StartsWith(file_ + ":2:"));
  EXPECT_THAT(error_in("[train]\nbatch = 3\nbatch = 4\n"), StartsWith(file_ + ":3:"));
}

TEST_F(ConfigFile, LaterLayersWinAndSayWhereValuesCameFrom) {
  file_ = folder_.write("my.toml", "extends = \"fmnist-mlp\"\n[train]\nbatch = 64\n[optim]\nlr = 0.5\n");
  const auto resolved = resolve(file_, std::vector<Setting>{{"optim.lr", "0.25"}});
  EXPECT_EQ(resolved.config.optim.lr, 0.25);
  EXPECT_EQ(resolved.config.train.batch, 64);
  EXPECT_EQ(resolved.config.data.train, "fashion-mnist");
  EXPECT_EQ(resolved.title, "my");
  const auto text = resolved_toml(resolved);
  EXPECT_THAT(text, ::testing::ContainsRegex("lr = 0.25 +# flag\n"));
  EXPECT_THAT(text, ::testing::ContainsRegex("batch = 64 +# .*my.toml:3\n"));
  EXPECT_THAT(text, ::testing::ContainsRegex("schedule = \"cosine\" +# preset fmnist-mlp\n"));
  EXPECT_THAT(text, ::testing::ContainsRegex("momentum = 0.9 +# default\n"));
}

TEST_F(ConfigFile, ExtendsAFileBesideItButOnlyOneLevel) {
  folder_.write("base.toml", "[train]\nbatch = 32\nepochs = 2\n");
  EXPECT_EQ(config_in("extends = \"base.toml\"\n[train]\nepochs = 3\n").train.batch, 32);
  folder_.write("base.toml", "extends = \"fmnist-mlp\"\n");
  EXPECT_THAT(error_in("extends = \"base.toml\"\n"), HasSubstr("one level"));
  EXPECT_THAT(error_in("extends = 3\n"), HasSubstr("extends must be"));
  EXPECT_THAT(error_in("extends = \"fmnist-mpl\"\n"), HasSubstr("did you mean fmnist-mlp?"));
}

TEST_F(ConfigFile, OfStepsAndEpochsTheOneSetLastDecides) {
  EXPECT_EQ(config_in("[train]\nsteps = 10\n").train.epochs, 0);
  const auto config = config_in("[train]\nsteps = 10\n", {{"train.epochs", "2"}});
  EXPECT_EQ(config.train.steps, 0);
  EXPECT_EQ(config.train.epochs, 2);
  EXPECT_THAT(error_in("[train]\nsteps = 10\nepochs = 2\n"), HasSubstr("both set"));
  EXPECT_THAT(error_in("[data]\ntrain=\"d\"\n[train]\nepochs = 0\n"), HasSubstr("both 0"));
}

TEST_F(ConfigFile, TilesMayBeAutoASizeOrAllSizes) {
  EXPECT_TRUE(config_in("[schedule]\ntiles = \"auto\"\n").schedule.batch_tiles.sizes.empty());
  EXPECT_EQ(config_in("[schedule]\ntiles = { batch = 64 }\n").schedule.batch_tiles.sizes, std::vector<Index>{64});
  EXPECT_EQ(config_in("", {{"schedule.tiles.batch", "[100,28]"}}).schedule.batch_tiles.sizes,
            (std::vector<Index>{100, 28}));
  EXPECT_THAT(error_in("[data]\ntrain=\"d\"\n[schedule]\ntiles = { batch = [100, 29] }\n"), HasSubstr("129 samples"));
  EXPECT_THAT(error_in("[schedule]\ntiles = 3\nfoo = 1\n"), HasSubstr("unknown key schedule.foo"));
}

TEST(Config, EveryKeyReadsBackFromWhatIsWritten) {
  TemporaryFolder folder;
  std::vector<Setting> settings = {
      {"machine.cpus", "0-2"},        {"memory.host", "3G"},     {"log.every", "7"},
      {"schedule.tiles.batch", "64"}, {"run.name", "a\"b\\c"},   {"numerics.dtype", "bf16"},
      {"checkpoint.every", "90s"},    {"schedule.grain", "2ms"}, {"train.steps", "12"}};
  const auto first = resolved_toml(resolve("digits-mlp", settings));
  const auto second = resolved_toml(resolve(folder.write("config.toml", first), {}));
  const auto without_comments = [](const std::string& text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); i = text.find('\n', i) + 1)
      result += text.substr(i, text.find('#', i) - i);
    return result;
  };
  EXPECT_EQ(without_comments(first), without_comments(second));
}

TEST(Config, DefaultsAreTakenByTheirOwnKeys) {
  for (const Key& key : schema()) {
    Config config;
    const auto text = key.to_toml(config);
    const auto value = value_of_flag(text);
    EXPECT_NO_THROW(assign(key, value, "", config)) << key.name;
    EXPECT_EQ(key.to_toml(config), text);
    EXPECT_FALSE(key.help.empty()) << key.name;
    EXPECT_THAT(explain(""), HasSubstr(std::string(key.name)));
    EXPECT_THAT(explain(key.name), HasSubstr(allowed_values(key)));
  }
}

TEST(Config, PresetsAndStartingFilesAreComplete) {
  TemporaryFolder folder;
  for (const Preset& preset : presets()) {
    EXPECT_NO_THROW(check_complete(resolve(preset.name, {})));
    const auto file = folder.write("start.toml", starting_toml(preset.name));
    EXPECT_EQ(resolve(file, {}).config.data.train, resolve(preset.name, {}).config.data.train);
  }
  EXPECT_NO_THROW(resolve(folder.write("empty.toml", starting_toml("")), {}));
}

TEST(Config, UnknownSourcesAreExplained) {
  EXPECT_THAT(message_of(Exit::usage, [] { resolve("fmnist-mpl", {}); }), HasSubstr("did you mean fmnist-mlp?"));
  EXPECT_THAT(message_of(Exit::usage, [] { resolve("/", {}); }), HasSubstr("is a folder"));
  EXPECT_THAT(message_of(Exit::usage, [] { explain("trian"); }), HasSubstr("unknown key trian"));
  EXPECT_THAT(message_of(Exit::usage, [] { check_complete(resolve("", {})); }), HasSubstr("data.train is not set"));
  const std::vector<Setting> bad = {{"train.batch", "x"}};
  EXPECT_THAT(message_of(Exit::usage, [&] { resolve("", bad); }), StartsWith("--train.batch: train.batch must be"));
}

TEST(Suggest, DistanceCountsSwapsOnce) {
  EXPECT_EQ(edit_distance("dmads", "dmdas"), 1u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(closest("zzzzzz", key_names()), "");
}

}  // namespace
}  // namespace pleiad
