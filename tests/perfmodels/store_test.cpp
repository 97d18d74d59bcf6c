#include "perfmodels/store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "expect_error.hpp"
#include "temporary_folder.hpp"

namespace pleiad {
namespace {

using testing::HasSubstr;
constexpr KernelTime kTime{12.5, 0.25, 9};

std::string file_in(const TemporaryFolder& folder) {
  return (folder.path() / "perf" / "key" / "kernels.json").string();
}

TEST(KernelTimes, what_is_saved_is_found_by_the_next_process) {
  const TemporaryFolder folder;
  KernelTimes times(file_in(folder));
  times.load();
  EXPECT_EQ(times.size(), 0u);
  times.set("linear fp32 2x3,4x3,4->2x4", "simd", kTime);
  times.set("linear fp32 2x3,4x3,4->2x4", "onednn", {7, 0, 5});
  times.save();

  KernelTimes next(file_in(folder));
  next.load();
  EXPECT_EQ(next.size(), 2u);
  EXPECT_EQ(next.find("linear fp32 2x3,4x3,4->2x4", "simd"), kTime);
  EXPECT_EQ(next.find("linear fp32 2x3,4x3,4->2x4", "ref"), std::nullopt);
  EXPECT_EQ(next.find("other", "simd"), std::nullopt);
  EXPECT_EQ(next.note(), "");
}

TEST(KernelTimes, in_memory_only_without_a_file) {
  KernelTimes times;
  times.set("k", "simd", kTime);
  times.save();
  EXPECT_EQ(times.find("k", "simd"), kTime);
}

TEST(KernelTimes, damaged_file_is_reported_and_set_aside) {
  const char* damaged[] = {
      "",
      "{\"version\": 1, \"kernels\"",
      "[]",
      R"({"version": 99, "kernels": {}})",
      R"({"version": 1, "kernels": {"k": {"simd": {"median_us": -1, "mad_us": 0, "samples": 3}}}})",
      R"({"version": 1, "kernels": {"k": {"simd": {"median_us": "x", "mad_us": 0, "samples": 3}}}})"};
  for (const char* text : damaged) {
    const TemporaryFolder folder;
    const std::string file = folder.write("kernels.json", text);
    KernelTimes times(file);
    times.load();
    EXPECT_EQ(times.size(), 0u);
    EXPECT_THAT(times.note(), HasSubstr(file + ".damaged"));
    EXPECT_EQ(contents_of(file + ".damaged"), text);
    times.set("k", "simd", kTime);
    times.save();
    times.load();
    EXPECT_EQ(times.find("k", "simd"), kTime);
    EXPECT_EQ(times.note(), "");
  }
}

TEST(KernelTimes, saving_keeps_what_another_process_wrote_meanwhile) {
  const TemporaryFolder folder;
  KernelTimes old(file_in(folder));
  old.set("a", "simd", {1, 0, 5});
  old.save();
  KernelTimes mine(file_in(folder)), theirs(file_in(folder));
  mine.load();
  theirs.load();
  theirs.set("a", "simd", {2, 0, 5});
  theirs.set("b", "simd", {3, 0, 5});
  theirs.save();
  mine.set("c", "simd", {4, 0, 5});
  mine.save();
  KernelTimes all(file_in(folder));
  all.load();
  EXPECT_EQ(all.find("a", "simd")->median_us, 2) << "an old value that was only loaded does not undo a newer one";
  EXPECT_EQ(all.find("b", "simd")->median_us, 3);
  EXPECT_EQ(all.find("c", "simd")->median_us, 4);
}

TEST(KernelTimes, concurrent_writers_lose_nothing) {
  const TemporaryFolder folder;
  constexpr int kWriters = 4, kRounds = 10;
  std::vector<std::thread> writers;
  for (int w = 0; w < kWriters; ++w)
    writers.emplace_back([&, w] {
      for (int i = 0; i < kRounds; ++i) {
        KernelTimes times(file_in(folder));
        times.load();
        times.set(std::to_string(w) + "." + std::to_string(i), "simd", kTime);
        times.save();
        EXPECT_EQ(times.note(), "");
      }
    });
  for (auto& w : writers) w.join();
  KernelTimes all(file_in(folder));
  all.load();
  EXPECT_EQ(all.size(), std::size_t{kWriters * kRounds});
}

TEST(KernelTimes, a_folder_that_cannot_be_made_is_an_error) {
  const TemporaryFolder folder;
  KernelTimes times(folder.write("file", "") + "/kernels.json");
  times.set("k", "simd", kTime);
  EXPECT_THAT(message_of(Exit::internal, [&] { times.save(); }), HasSubstr("PLEIAD_HOME"));
}

}  // namespace
}  // namespace pleiad
