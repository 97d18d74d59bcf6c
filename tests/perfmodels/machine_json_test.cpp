#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expect_error.hpp"
#include "perfmodels/machine.hpp"

namespace pleiad {
namespace {

using testing::HasSubstr;

TEST(MachineJson, round_trip_keeps_every_field) {
  Machine m{.host = "kestrel", .cpu_model = "EPYC \"7543\"", .cores = 3, .numa_nodes = 2, .hardware_key = "epyc-3c"};
  m.memories = {{.name = "ram", .bytes = 1u << 30, .limit_bytes = 77}, {.name = "cuda0", .bytes = 5}};
  m.workers = {{.name = "cpu0", .flops = 1.25e11, .bandwidth = 2.5e10, .overhead_us = 3.5},
               {.name = "cuda0", .device = Device::gpu, .memory = 1, .flops = 1e13, .bandwidth = 1e12}};
  const std::string text = to_json(m);
  const Machine back = machine_from_json(text);
  EXPECT_EQ(to_json(back), text);
  EXPECT_EQ(back.host, "kestrel");
  EXPECT_EQ(back.numa_nodes, 2);
  EXPECT_EQ(back.memories[0].limit_bytes, 77u);
  EXPECT_EQ(back.workers[1].device, Device::gpu);
  EXPECT_EQ(back.workers[1].memory, 1);
  EXPECT_EQ(back.workers[0].overhead_us, 3.5);
}

TEST(MachineJson, written_by_hand_only_the_needed_fields) {
  const Machine m =
      machine_from_json(R"({"memories": [{"name": "ram", "bytes": 1e9}], "workers": [{"name": "a"}, {"name": "b"}]})");
  EXPECT_EQ(m.cores, 2);
  EXPECT_EQ(m.memories[0].usable_bytes(), 1000000000u);
  EXPECT_EQ(m.workers[1].device, Device::cpu);
}

TEST(MachineJson, malformed_files_name_the_field) {
  const auto message = [](const char* text) { return message_of(Exit::data, [&] { machine_from_json(text); }); };
  const std::string ram = R"("memories": [{"name": "ram", "bytes": 1}])";
  const auto with_worker = [&](const char* worker) { return "{" + ram + ", \"workers\": [" + worker + "]}"; };
  EXPECT_THAT(message("{"), HasSubstr("not JSON"));
  EXPECT_THAT(message("[]"), HasSubstr("top level must be an object"));
  EXPECT_THAT(message("{}"), HasSubstr("memories is missing"));
  EXPECT_THAT(message(R"({"memories": [{"name": "ram"}], "workers": [{"name": "a"}]})"),
              HasSubstr("memories[0].bytes is missing"));
  EXPECT_THAT(message(("{" + ram + R"(, "workers": []})").c_str()), HasSubstr("workers must be a list"));
  EXPECT_THAT(message(with_worker("{}").c_str()), HasSubstr("workers[0].name is missing"));
  EXPECT_THAT(message(with_worker(R"({"name": "a", "flops": "fast"})").c_str()),
              HasSubstr("workers[0].flops must be a number"));
  EXPECT_THAT(message(with_worker(R"({"name": "a", "flops": -1})").c_str()), HasSubstr("workers[0].flops"));
  EXPECT_THAT(message(with_worker(R"({"name": "a", "memory": 1})").c_str()),
              HasSubstr("workers[0].memory is not the number"));
  EXPECT_THAT(message(with_worker(R"({"name": "a", "device": "tpu"})").c_str()),
              HasSubstr("workers[0].device must be cpu or gpu"));
}

}  // namespace
}  // namespace pleiad
