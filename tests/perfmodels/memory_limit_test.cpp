#include "perfmodels/memory_limit.hpp"

#include <gtest/gtest.h>

#include "temporary_folder.hpp"

namespace pleiad {
namespace {

// Limits below are smaller than any rlimit a test run would have.

TEST(MemoryLimit, smallest_of_a_cgroup_and_those_above) {
  const TemporaryFolder root;
  root.write("proc/self/cgroup", "0::/slurm/job_7/step_0\n");
  root.write("sys/fs/cgroup/slurm/memory.max", "max\n");
  root.write("sys/fs/cgroup/slurm/job_7/memory.max", "4194304\n");
  root.write("sys/fs/cgroup/slurm/job_7/step_0/memory.max", "8388608\n");
  EXPECT_EQ(memory_limit_bytes(root.path()), 4194304u);
}

TEST(MemoryLimit, version_1) {
  const TemporaryFolder root;
  root.write("proc/self/cgroup", "5:cpu,cpuacct:/a\n4:memory:/a\n0::/a\n");
  root.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  root.write("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "2097152\n");
  EXPECT_EQ(memory_limit_bytes(root.path()), 2097152u);
}

TEST(MemoryLimit, a_container_sees_its_own_group_at_the_mount) {
  const TemporaryFolder root;
  root.write("proc/self/cgroup", "0::/../not/visible\n");
  root.write("sys/fs/cgroup/memory.max", "1048576\n");
  EXPECT_EQ(memory_limit_bytes(root.path()), 1048576u);
}

TEST(MemoryLimit, unlimited_and_unknown_are_no_limit) {
  const TemporaryFolder root;
  const std::size_t by_rlimit = memory_limit_bytes(root.path());
  root.write("proc/self/cgroup", "nonsense\n0::/a\n");
  root.write("sys/fs/cgroup/a/memory.max", "max\n");
  EXPECT_EQ(memory_limit_bytes(root.path()), by_rlimit);
}

}  // namespace
}  // namespace pleiad
