#include "apps/checkpoint/safetensors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

#include "expect_error.hpp"
#include "temporary_folder.hpp"

namespace pleiad {
namespace {

using ::testing::HasSubstr;

template <class T>
std::span<const std::byte> view(const std::vector<T>& numbers) {
  return std::as_bytes(std::span(numbers));
}

/// File contents with this JSON header and data.
std::string with_header(const std::string& header, const std::string& data) {
  const std::uint64_t length = header.size();
  std::string text(8, '\0');
  std::memcpy(text.data(), &length, 8);
  return text + header + data;
}

class Safetensors : public ::testing::Test {
 protected:
  std::string error_in(const std::string& contents) {
    const auto file = folder_.write("a.safetensors", contents);
    return message_of(Exit::data, [&] { read_safetensors(file); });
  }
  std::string error_in_header(const std::string& header, const std::string& data = "12345678") {
    return error_in(with_header(header, data));
  }
  TemporaryFolder folder_;
};

TEST_F(Safetensors, WhatIsWrittenReadsBackEqual) {
  const std::vector<float> a = {1.5f, -2, 3, 4, 5, 6};
  const std::vector<double> b = {7};
  const std::vector<std::uint16_t> c = {1, 2, 3};
  const std::vector<std::int32_t> d = {-1, 2};
  const std::vector<NamedTensor> tensors = {{"a", DType::f32, {2, 3}, view(a)},
                                            {"c \"x\"", DType::bf16, {3}, view(c)},
                                            {"b", DType::f64, {}, view(b)},
                                            {"d", DType::i32, {2, 1}, view(d)},
                                            {"empty", DType::f32, {0, 4}, {}}};
  const auto path = folder_.path() / "a.safetensors";
  const auto record = write_safetensors(path, tensors, {{"format", "pt"}});
  EXPECT_EQ(record, record_of(path));
  EXPECT_EQ(record.size, std::filesystem::file_size(path));
  const auto file = read_safetensors(path);
  EXPECT_EQ(file.metadata.at("format"), "pt");
  ASSERT_EQ(file.tensors.size(), tensors.size());
  for (const auto& t : tensors) {
    const auto& read = file.at(t.name, t.dtype, t.shape);
    EXPECT_TRUE(std::equal(read.data.begin(), read.data.end(), t.data.begin(), t.data.end())) << t.name;
  }
}

TEST_F(Safetensors, EveryTensorIsAlignedInTheFile) {
  const std::vector<std::uint16_t> odd = {1, 2, 3};
  const std::vector<double> wide = {7};
  const std::vector<NamedTensor> tensors = {{"odd", DType::bf16, {3}, view(odd)},
                                            {"wide", DType::f64, {1}, view(wide)}};
  write_safetensors(folder_.path() / "a", tensors);
  const auto text = contents_of(folder_.path() / "a");
  std::uint64_t length = 0;
  std::memcpy(&length, text.data(), 8);
  EXPECT_EQ(length % 8, 0u);
  EXPECT_EQ(std::memcmp(text.data() + 8 + length, wide.data(), 8), 0);
}

TEST_F(Safetensors, WideIntegersAreNarrowedIfTheyFit) {
  const std::vector<std::int64_t> numbers = {-5, 70000};
  std::string data(16, '\0');
  std::memcpy(data.data(), numbers.data(), 16);
  const std::string header = R"({"ids":{"dtype":"I64","shape":[2],"data_offsets":[0,16]}})";
  const auto file = read_safetensors(folder_.write("a", with_header(header, data)));
  std::vector<std::int32_t> read(2);
  std::memcpy(read.data(), file.at("ids", DType::i32, {2}).data.data(), 8);
  EXPECT_EQ(read, (std::vector<std::int32_t>{-5, 70000}));
  data[15] = '\x01';
  EXPECT_THAT(error_in(with_header(header, data)), HasSubstr("more than 32 bits"));
}

TEST_F(Safetensors, MissingOrDifferentTensorsAreNamed) {
  const std::vector<float> a = {1, 2};
  write_safetensors(folder_.path() / "a", std::vector<NamedTensor>{{"a", DType::f32, {2}, view(a)}});
  const auto file = read_safetensors(folder_.path() / "a");
  EXPECT_THAT(message_of(Exit::data, [&] { file.at("b", DType::f32, {2}); }), HasSubstr("has no tensor b"));
  EXPECT_THAT(message_of(Exit::data,
                         [&] {
                           file.at("a", DType::f32, {1, 2});
                         }),
              HasSubstr("is fp32 2, this training needs fp32 1x2"));
}

TEST_F(Safetensors, HostileHeadersAreRejected) {
  EXPECT_THAT(error_in(""), HasSubstr("holds 0 bytes"));
  EXPECT_THAT(error_in("1234567"), HasSubstr("holds 7 bytes"));
  EXPECT_THAT(error_in(std::string(8, '\xff')), HasSubstr("header should take"));
  EXPECT_THAT(error_in(std::string("\x10\0\0\0\0\0\0\0{}", 10)), HasSubstr("header should take 16 bytes"));
  EXPECT_THAT(error_in_header("[1]"), HasSubstr("not JSON"));
  EXPECT_THAT(error_in_header(std::string(50000, '[')), HasSubstr("not JSON"));
  EXPECT_THAT(error_in_header(R"({"a":3})"), HasSubstr("lacks dtype"));
  EXPECT_THAT(error_in_header(R"({"a":{"dtype":"F32","shape":[2]}})"), HasSubstr("lacks dtype"));
  EXPECT_THAT(error_in_header(R"({"a":{"dtype":"F8_E4M3","shape":[8],"data_offsets":[0,8]}})"), HasSubstr("F8_E4M3"));
  EXPECT_THAT(error_in_header(R"({"a":{"dtype":4,"shape":[8],"data_offsets":[0,8]}})"), HasSubstr("tensor a is ?"));
  EXPECT_THAT(error_in_header(R"({"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})"),
              HasSubstr("not a list of sizes"));
  EXPECT_THAT(error_in_header(R"({"a":{"dtype":"F32","shape":[1.5],"data_offsets":[0,8]}})"), HasSubstr("not a list"));
  EXPECT_THAT(error_in_header(R"({"a":{"dtype":"F32","shape":[1,1,1,1,1,1,2],"data_offsets":[0,8]}})"),
              HasSubstr("7 dimensions"));
  EXPECT_THAT(error_in_header(R"({"__metadata__":{"a":1}})"), HasSubstr("__metadata__.a is not text"));
}

TEST_F(Safetensors, OffsetsMustCoverTheDataExactly) {
  const auto entry = [](const char* name, const char* shape, const char* offsets) {
    return std::string("\"") + name + R"(":{"dtype":"F32","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}";
  };
  EXPECT_THAT(error_in_header("{" + entry("a", "[2]", "[0,12]") + "}"), HasSubstr("outside of the 8 bytes"));
  EXPECT_THAT(error_in_header("{" + entry("a", "[2]", "[8,0]") + "}"), HasSubstr("outside"));
  EXPECT_THAT(error_in_header("{" + entry("a", "[2]", "[0]") + "}"), HasSubstr("outside"));
  EXPECT_THAT(error_in_header("{" + entry("a", "[3]", "[0,8]") + "}"), HasSubstr("has 8 bytes of data"));
  EXPECT_THAT(error_in_header("{" + entry("a", "[1]", "[0,4]") + "}"), HasSubstr("take 4 bytes, the file holds 8"));
  EXPECT_THAT(error_in_header("{" + entry("a", "[1]", "[4,8]") + "}"), HasSubstr("begins at byte 4"));
  EXPECT_THAT(error_in_header("{" + entry("a", "[2]", "[0,8]") + "," + entry("b", "[1]", "[4,8]") + "}"),
              HasSubstr("begins at byte 4"));
  EXPECT_THAT(error_in_header("{" + entry("a", "[9223372036854775807,4]", "[0,8]") + "}"),
              HasSubstr("larger than the file"));
}

TEST_F(Safetensors, EveryTruncationAndManyFlippedBytesAreErrorsOrReadable) {
  const std::vector<float> a(40, 1.0f);
  write_safetensors(folder_.path() / "a",
                    std::vector<NamedTensor>{{"a", DType::f32, {4, 10}, view(a)}, {"b", DType::f32, {40}, view(a)}});
  const auto good = contents_of(folder_.path() / "a");
  for (std::size_t size = 0; size < good.size(); size += 7) error_in(good.substr(0, size));
  for (std::size_t i = 0; i < 200; ++i) {
    auto bad = good;
    bad[i] = static_cast<char>(bad[i] ^ (1 << (i % 8)));
    const auto file = folder_.write("bad", bad);
    try {
      read_safetensors(file);
    } catch (const Error& e) {
      EXPECT_EQ(e.exit(), Exit::data);
    }
  }
}

}  // namespace
}  // namespace pleiad
