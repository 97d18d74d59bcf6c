#include "perfmodels/machine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <set>

#include "expect_error.hpp"

namespace pleiad {
namespace {

/// Binds the process to one logical CPU while it lives.
class BoundTo {
 public:
  explicit BoundTo(int cpu) {
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(cpu), &one);
    sched_setaffinity(0, sizeof one, &one);
  }
  ~BoundTo() { sched_setaffinity(0, sizeof before_, &before_); }
  BoundTo(const BoundTo&) = delete;
  BoundTo& operator=(const BoundTo&) = delete;

 private:
  cpu_set_t before_;
};

TEST(Machine, one_worker_a_usable_core) {
  const auto cores = usable_cores();
  ASSERT_FALSE(cores.empty());
  EXPECT_EQ(std::set<int>(cores.begin(), cores.end()).size(), cores.size());
  const Machine m = describe_machine(-1);
  EXPECT_EQ(m.workers.size(), cores.size());
  EXPECT_EQ(m.cores, static_cast<int>(cores.size()));
  EXPECT_EQ(m.workers[0].name, "cpu0");
  EXPECT_EQ(describe_machine(1).workers.size(), 1u);
  EXPECT_TRUE(describe_machine(0).workers.empty());
}

TEST(Machine, affinity_of_the_process_is_law) {
  const auto cores = usable_cores();
  const std::string key = describe_machine(1).hardware_key;
  const BoundTo bound(cores.back());
  EXPECT_THAT(usable_cores(), testing::ElementsAre(cores.back()));
  EXPECT_EQ(describe_machine(-1).workers.size(), 1u);
  EXPECT_EQ(describe_machine(1).hardware_key, key) << "a smaller allocation is still the same hardware";
}

TEST(Machine, more_workers_than_cores_is_refused) {
  const std::string message = message_of(Exit::hardware, [] { describe_machine(1 << 20); });
  EXPECT_THAT(message, testing::HasSubstr("1048576 CPU workers"));
}

TEST(Machine, memory_is_what_the_process_may_take) {
  const Machine m = describe_machine(1);
  ASSERT_EQ(m.memories.size(), 1u);
  EXPECT_GT(m.memories[0].bytes, std::size_t{1} << 28);
  EXPECT_LE(m.memories[0].usable_bytes(), m.memories[0].bytes);
  EXPECT_GE(m.numa_nodes, 1);
  EXPECT_EQ((Memory{.bytes = 100, .limit_bytes = 40}).usable_bytes(), 40u);
  EXPECT_EQ((Memory{.bytes = 100, .limit_bytes = 400}).usable_bytes(), 100u);
  EXPECT_EQ((Memory{.bytes = 100}).usable_bytes(), 100u);
}

}  // namespace
}  // namespace pleiad
