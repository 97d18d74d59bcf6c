#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "apps/config/environment.hpp"
#include "apps/data/load.hpp"
#include "data_files.hpp"
#include "expect_error.hpp"

namespace pleiad {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class Data : public ::testing::Test {
 protected:
  DataSplit load(const std::string& train, const std::string& val = "") {
    config_.train = train;
    config_.val = val;
    return load_data(config_, std::vector<std::filesystem::path>{folder_.path()}, 1);
  }
  std::string error_of(const std::string& train, const std::string& val = "") {
    return message_of(Exit::data, [&] { load(train, val); });
  }
  std::string folder() const { return folder_.path().string(); }

  /// Four IDX files with 3 + 2 samples of 1x2 bytes.
  void write_idx_folder() {
    folder_.write("train-images-idx3-ubyte", idx({3, 1, 2}, std::string("\0\xff\x33\0\0\0", 6)));
    folder_.write("train-labels-idx1-ubyte", idx({3}, std::string("\0\1\2", 3)));
    write_gzip(folder_, "t10k-images-idx3-ubyte.gz", idx({2, 1, 2}, "abcd"));
    write_gzip(folder_, "t10k-labels-idx1-ubyte.gz", idx({2}, std::string("\2\0", 2)));
  }

  TemporaryFolder folder_;
  DataConfig config_;
};

TEST_F(Data, FolderOfIdxFilesPlainAndGzip) {
  write_idx_folder();
  const auto split = load(folder());
  EXPECT_EQ(split.train.sample_shape, (Shape{1, 2}));
  EXPECT_THAT(split.train.features, ElementsAre(0, 1, 0.2f, 0, 0, 0));
  EXPECT_THAT(split.train.labels, ElementsAre(0, 1, 2));
  EXPECT_THAT(split.val.labels, ElementsAre(2, 0));
  EXPECT_EQ(split.val.classes, 3);
  EXPECT_NE(split.train.hash, split.val.hash);
  EXPECT_EQ(load(folder_.path() / "train-images-idx3-ubyte", folder()).train.hash, split.train.hash);
}

TEST_F(Data, IdxThatIsNotWhatItsHeaderSays) {
  write_idx_folder();
  const auto images = folder_.write("train-images-idx3-ubyte", idx({3, 1, 2}, "12345"));
  EXPECT_THAT(error_of(folder()),
              StartsWith(images + ": truncated: the header says 3 x 1 x 2 = 6 bytes, the file holds 5"));
  folder_.write("train-images-idx3-ubyte", idx({3, 1, 2}, "1234567"));
  EXPECT_THAT(error_of(folder()), HasSubstr("damaged: the header says"));
  folder_.write("train-images-idx3-ubyte", idx({0xffffffff, 0xffffffff, 0xffffffff}, "1234567"));
  EXPECT_THAT(error_of(folder()), HasSubstr("damaged: its header claims"));
  folder_.write("train-images-idx3-ubyte", idx({0xffffffff, 0xffff}, "1234567"));
  EXPECT_THAT(error_of(folder()), HasSubstr("truncated"));
  folder_.write("train-images-idx3-ubyte", "MNIST");
  EXPECT_THAT(error_of(folder()), HasSubstr("is not an IDX file"));
  folder_.write("train-images-idx3-ubyte", idx(std::vector<std::uint32_t>(9, 1), "1"));
  EXPECT_THAT(error_of(folder()), HasSubstr("has 9 dimensions"));
  folder_.write("train-images-idx3-ubyte", idx({0, 1, 2}, ""));
  EXPECT_THAT(error_of(folder()), HasSubstr("holds no samples"));
  folder_.write("train-images-idx3-ubyte", std::string("\0\0\x08\x03\0\0", 6));
  EXPECT_THAT(error_of(folder()), HasSubstr("its header alone takes 16 bytes"));
  folder_.write("train-images-idx3-ubyte", std::string("\0\0\x0d\x01\0\0\0\0", 8));
  EXPECT_THAT(error_of(folder()), HasSubstr("IDX type 0x0d"));
}

TEST_F(Data, PartsThatDoNotFitTogether) {
  write_idx_folder();
  folder_.write("train-labels-idx1-ubyte", idx({2}, std::string("\0\1", 2)));
  EXPECT_THAT(error_of(folder()), HasSubstr("3 samples, but 2 labels in"));
  write_idx_folder();
  write_gzip(folder_, "t10k-labels-idx1-ubyte.gz", idx({2}, std::string("\7\0", 2)));
  EXPECT_THAT(error_of(folder()), HasSubstr("label 7 does not occur in the training data, which has 3 classes"));
  write_gzip(folder_, "t10k-images-idx3-ubyte.gz", idx({2, 2, 1}, "abcd"));
  EXPECT_THAT(error_of(folder()), HasSubstr("test samples are 2x1, training samples 1x2"));
  std::filesystem::remove(folder_.path() / "t10k-images-idx3-ubyte.gz");
  EXPECT_THAT(error_of(folder()), HasSubstr("t10k-images-idx3-ubyte is missing"));
}

TEST_F(Data, DamagedGzip) {
  const auto file = write_gzip(folder_, "a.csv.gz", std::string(5000, '1') + ",2\n3,4\n");
  const auto good = contents_of(file);
  folder_.write("a.csv.gz", good.substr(0, good.size() - 6));
  EXPECT_THAT(error_of(file), HasSubstr("gzip data"));
  auto flipped = good;
  flipped[flipped.size() - 6] = static_cast<char>(flipped[flipped.size() - 6] ^ 1);
  folder_.write("a.csv.gz", flipped);
  EXPECT_THAT(error_of(file), HasSubstr("damaged gzip data"));
}

TEST_F(Data, CsvWithHeaderSeparatorsAndLineEnds) {
  const auto file = folder_.write("a.csv", "\xEF\xBB\xBFlength;width;kind\r\n 1.5;-2e1; 0\r\n\r\n+3;4;1\r\n5;6;1");
  const auto split = load(file, file);
  EXPECT_THAT(split.train.features, ElementsAre(1.5f, -20, 3, 4, 5, 6));
  EXPECT_THAT(split.train.labels, ElementsAre(0, 1, 1));
  config_.label = "first";
  EXPECT_THAT(error_of(folder_.write("b.csv", "1,5\n-1,6\n")), HasSubstr("label -1 of sample 1"));
  const auto first = folder_.write("c.csv", "1,5\n0,6\n");
  EXPECT_THAT(load(first, first).train.labels, ElementsAre(1, 0));
}

TEST_F(Data, CsvErrorsNameLineAndColumn) {
  const auto error_in = [&](std::string_view text) { return error_of(folder_.write("a.csv", text)); };
  EXPECT_THAT(error_in("1,2,0\n\n1,x,0\n"), HasSubstr("a.csv:3: column 2: \"x\" is not a number"));
  EXPECT_THAT(error_in("1,2,0\n1,0\n"), HasSubstr("a.csv:2: has 2 columns, line 1 has 3"));
  EXPECT_THAT(error_in("1,2,0\n1,,0\n"), HasSubstr("column 2 is empty"));
  EXPECT_THAT(error_in("1,2,0\n1,inf,0\n"), HasSubstr("\"inf\" is not a number"));
  EXPECT_THAT(error_in("1,2,0\n1,2,0.5\n"), HasSubstr("label 0.5 of sample 1 is not a class number"));
  EXPECT_THAT(error_in("1,2,0\n1,2,9\n1,2,1\n1,2,1\n"), HasSubstr("more classes than there are samples"));
  EXPECT_THAT(error_in("a,b\n"), HasSubstr("holds no samples"));
  EXPECT_THAT(error_in(""), HasSubstr("holds no samples"));
  EXPECT_THAT(error_in("1\n2\n"), HasSubstr("two columns"));
  EXPECT_THAT(error_in(std::string_view("\x7f"
                                        "ELF\0\0\0\0\0",
                                        9)),
              HasSubstr("none of the kinds"));
}

TEST_F(Data, NpyTablesOfEveryNumberType) {
  const auto table = [&](const std::string& descr, const std::string& numbers) {
    const auto file =
        folder_.write("a.npy", npy("{'descr': '" + descr + "', 'fortran_order': False, 'shape': (2, 3), }\n", numbers));
    return load(file, file).train;
  };
  for (const auto& data :
       {table("<f4", bytes_of<float>({1, 2, 0, 3, 4, 1})), table("<f8", bytes_of<double>({1, 2, 0, 3, 4, 1})),
        table("<i4", bytes_of<std::int32_t>({1, 2, 0, 3, 4, 1})),
        table("<i8", bytes_of<std::int64_t>({1, 2, 0, 3, 4, 1}))}) {
    EXPECT_THAT(data.features, ElementsAre(1, 2, 3, 4));
    EXPECT_THAT(data.labels, ElementsAre(0, 1));
  }
}

TEST_F(Data, NpyThatCannotBeRead) {
  const auto error_in = [&](const std::string& dict, const std::string& numbers) {
    return error_of(folder_.write("a.npy", npy(dict, numbers)));
  };
  const std::string four = bytes_of<float>({1, 0, 1, 1});
  EXPECT_THAT(error_in("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2)}", four), HasSubstr("Fortran order"));
  EXPECT_THAT(error_in("{'descr': '>f4', 'fortran_order': False, 'shape': (2, 2)}", four), HasSubstr("type '>f4'"));
  EXPECT_THAT(error_in("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2, 2)}", four),
              HasSubstr("type ["));
  EXPECT_THAT(error_in("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}", four), HasSubstr("truncated"));
  EXPECT_THAT(error_in("{'descr': '<f4', 'fortran_order': False, 'shape': (2, -3)}", four), HasSubstr("unreadable"));
  EXPECT_THAT(error_in("{'descr': '<f4', 'fortran_order': False, 'shape': (2, ", four), HasSubstr("unreadable"));
  EXPECT_THAT(error_in("{'descr': '<f4', 'fortran_order': False, 'shape': ()}", bytes_of<float>({1})),
              HasSubstr("0 dimensions"));
  EXPECT_THAT(error_in("{'descr': '<f4', 'fortran_order': False}", four), HasSubstr("no shape"));
  EXPECT_THAT(error_in("{'descr': '<f4', 'fortran_order': False, 'shape': (9999999999999, 9999999999999)}", four),
              HasSubstr("damaged"));
  EXPECT_THAT(error_in("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2)}", bytes_of<float>({NAN, 0, 1, 1})),
              HasSubstr("nan"));
  EXPECT_THAT(error_of(folder_.write("b.npy", std::string("\x93NUMPY\x01\0\xff\xff{", 11))), HasSubstr("truncated"));
  EXPECT_THAT(error_of(folder_.write("b.npy", "\x93NUMPY")), HasSubstr("truncated"));
}

TEST_F(Data, NpzAndFolderOfNpyUnderUsualNames) {
  const auto x = npy("{'descr': '|u1', 'fortran_order': False, 'shape': (2, 1, 2), }", std::string("\xff\0\0\xff", 4));
  const auto y = npy("{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }", bytes_of<std::int64_t>({1, 0}));
  const auto file =
      write_npz(folder_, "a.npz", {{"x_train.npy", x}, {"y_train.npy", y}, {"x_test.npy", x}, {"y_test.npy", y}});
  const auto split = load(file);
  EXPECT_THAT(split.train.features, ElementsAre(1, 0, 0, 1));
  EXPECT_EQ(split.val.size(), 2);
  EXPECT_THAT(error_of(write_npz(folder_, "b.npz", {{"foo.npy", x}})), HasSubstr("under a usual name"));
  for (const char* name : {"d/x_train.npy", "d/x_test.npy"}) folder_.write(name, x);
  for (const char* name : {"d/y_train.npy", "d/y_test.npy"}) folder_.write(name, y);
  EXPECT_EQ(load(folder() + "/d").train.hash, split.train.hash);
}

TEST_F(Data, DamagedNpz) {
  const auto x = npy("{'descr': '|u1', 'fortran_order': False, 'shape': (400, 2), }", std::string(800, '\1'));
  const auto file = write_npz(folder_, "a.npz", {{"x.npy", x}, {"y.npy", x}});
  const auto good = contents_of(file);
  for (std::size_t size : {std::size_t{5}, good.size() / 2, good.size() - 3}) {
    folder_.write("a.npz", good.substr(0, size));
    EXPECT_THAT(error_of(file), HasSubstr("a.npz"));
  }
  for (std::size_t i = 0; i < good.size(); i += 3) {
    auto bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x55);
    folder_.write("a.npz", bad);
    try {
      load(file);
    } catch (const Error& e) {
      EXPECT_EQ(e.exit(), Exit::data);
    }
  }
}

TEST_F(Data, MissingDataNameThePackage) {
  EXPECT_EQ(error_of("fashion-mnist"), "data fashion-mnist not found (looked in " + folder() +
                                           ")\nDebian/Ubuntu: sudo apt-get install dataset-fashion-mnist · other: "
                                           "--data.train DIR with the 4 IDX files");
  EXPECT_THAT(error_of("fashon-mnist"), HasSubstr("did you mean fashion-mnist?"));
  EXPECT_THAT(error_of("/nonexistent/file.csv"), HasSubstr("not found"));
  std::filesystem::create_directory(folder_.path() / "empty");
  EXPECT_THAT(error_of("empty"), HasSubstr("holds neither"));
}

TEST_F(Data, HoldoutIsDisjointCompleteAndTheSameForASeed) {
  std::string text;
  for (int i = 0; i < 50; ++i) text += std::to_string(i) + "," + std::to_string(i % 2) + "\n";
  const auto file = folder_.write("a.csv", text);
  const auto split = load(file);
  EXPECT_EQ(split.val.size(), 10);
  auto all = split.train.features;
  all.insert(all.end(), split.val.features.begin(), split.val.features.end());
  std::sort(all.begin(), all.end());
  for (int i = 0; i < 50; ++i) EXPECT_EQ(all[static_cast<std::size_t>(i)], static_cast<float>(i));
  EXPECT_EQ(load(file).train.hash, split.train.hash);
  EXPECT_NE(load_data(config_, {}, 2).train.hash, split.train.hash);
  EXPECT_THAT(error_of(folder_.write("b.csv", "1,0\n2,1\n")), HasSubstr("too few"));
}

TEST_F(Data, NormalizationFollowsTheTrainingPart) {
  const auto train = folder_.write("a.csv", "0,7,0\n4,7,1\n"), val = folder_.write("b.csv", "8,8,1\n");
  config_.normalize = "standard";
  auto split = load(train, val);
  EXPECT_THAT(split.train.features, ElementsAre(-1, 0, 1, 0));
  EXPECT_THAT(split.val.features, ElementsAre(3, 1));
  config_.normalize = "max";
  split = load(train, val);
  EXPECT_FLOAT_EQ(split.val.features[0], 8.0f / 7);
}

TEST(InstalledData, FashionMnistIsWhole) {
  if (!std::filesystem::exists("/usr/share/datasets/fashion-mnist"))
    GTEST_SKIP() << "dataset-fashion-mnist is not installed";
  DataConfig config;
  config.train = "fashion-mnist";
  const auto split = load_data(config, read_environment().data_path, 1);
  EXPECT_EQ(split.train.size(), 60000);
  EXPECT_EQ(split.val.size(), 10000);
  EXPECT_EQ(split.train.sample_shape, (Shape{28, 28}));
  EXPECT_EQ(split.train.classes, 10);
}

TEST(InstalledData, DigitsAreWhole) {
  DataConfig config;
  config.train = "digits";
  config.normalize = "max";
  const auto path = read_environment().data_path;
  const auto holds_digits = [](const auto& folder) { return std::filesystem::exists(folder / "digits.csv.gz"); };
  if (!std::ranges::any_of(path, holds_digits)) GTEST_SKIP() << "digits are not here: tools/deps unpacks them";
  const auto split = load_data(config, path, 1);
  EXPECT_EQ(split.train.size() + split.val.size(), 1797);
  EXPECT_EQ(split.train.width(), 64);
  EXPECT_EQ(split.train.classes, 10);
}

}  // namespace
}  // namespace pleiad
