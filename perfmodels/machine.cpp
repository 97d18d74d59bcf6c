#include "perfmodels/machine.hpp"

#include <hwloc.h>
#include <unistd.h>

#include <array>
#include <memory>

#include "perfmodels/hardware_key.hpp"
#include "perfmodels/memory_limit.hpp"

namespace pleiad {
namespace {

struct FreeBitmap {
  void operator()(hwloc_bitmap_s* b) const { hwloc_bitmap_free(b); }
};
using Bitmap = std::unique_ptr<hwloc_bitmap_s, FreeBitmap>;
struct DestroyTopology {
  void operator()(hwloc_topology* t) const { hwloc_topology_destroy(t); }
};
using Topology = std::unique_ptr<hwloc_topology, DestroyTopology>;

/// The whole machine, also what this process may not use: the hardware key is the same in every allocation.
Topology load_topology() {
  hwloc_topology_t t = nullptr;
  if (hwloc_topology_init(&t) != 0) throw Error(Exit::hardware, "hwloc cannot be started");
  Topology topology(t);
  hwloc_topology_set_flags(t, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  if (hwloc_topology_load(t) != 0) throw Error(Exit::hardware, "hwloc cannot read this machine's topology");
  return topology;
}

/// Logical CPUs in the calling thread's affinity mask and the cgroup's cpuset. Of the process would be all that any of
/// its threads may use, those of libraries included.
Bitmap usable_cpus(hwloc_topology_t t) {
  Bitmap set(hwloc_bitmap_alloc());
  if (hwloc_get_cpubind(t, set.get(), HWLOC_CPUBIND_THREAD) != 0) hwloc_bitmap_fill(set.get());
  hwloc_bitmap_and(set.get(), set.get(), hwloc_topology_get_allowed_cpuset(t));
  return set;
}

/// In hwloc's logical order, neighbours share caches.
std::vector<hwloc_obj_t> objects(hwloc_topology_t t, hwloc_obj_type_t type) {
  std::vector<hwloc_obj_t> found;
  for (hwloc_obj_t o = nullptr; (o = hwloc_get_next_obj_by_type(t, type, o)) != nullptr;) found.push_back(o);
  return found;
}

/// Cores; logical CPUs where the machine does not tell its cores.
std::vector<hwloc_obj_t> cores_of(hwloc_topology_t t) {
  auto cores = objects(t, HWLOC_OBJ_CORE);
  return cores.empty() ? objects(t, HWLOC_OBJ_PU) : cores;
}

std::vector<int> usable_cores(hwloc_topology_t t) {
  const Bitmap usable = usable_cpus(t);
  const Bitmap here(hwloc_bitmap_alloc());
  std::vector<int> cpus;
  for (hwloc_obj_t core : cores_of(t)) {
    hwloc_bitmap_and(here.get(), core->cpuset, usable.get());
    if (const int first = hwloc_bitmap_first(here.get()); first >= 0) cpus.push_back(first);
  }
  return cpus;
}

std::string model_of(hwloc_topology_t t) {
  const hwloc_obj_t package = hwloc_get_obj_by_type(t, HWLOC_OBJ_PACKAGE, 0);
  const char* model = package != nullptr ? hwloc_obj_get_info_by_name(package, "CPUModel") : nullptr;
  return model != nullptr ? model : "unknown CPU";
}

/// Sizes of the caches: the same model is sold, or virtualised, with different ones.
std::string caches_of(hwloc_topology_t t) {
  std::string text;
  for (auto type : {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE})
    if (const hwloc_obj_t cache = hwloc_get_obj_by_type(t, type, 0))
      text += std::to_string(cache->attr->cache.size) + " ";
  return text;
}

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

void add_memory(Machine& m, hwloc_topology_t t) {
  Memory ram{.name = "ram", .limit_bytes = memory_limit_bytes()};
  m.numa_nodes = 0;
  for (hwloc_obj_t node : objects(t, HWLOC_OBJ_NUMANODE)) {
    if (hwloc_bitmap_isset(hwloc_topology_get_allowed_nodeset(t), node->os_index) == 0) continue;
    ram.bytes += node->attr->numanode.local_memory;
    ++m.numa_nodes;
  }
  m.memories.push_back(ram);
}

int count_workers(int asked, int cores) {
  if (asked <= cores) return asked < 0 ? cores : asked;
  throw Error(Exit::hardware, std::to_string(asked) + " CPU workers asked for, but this process may use " +
                                  std::to_string(cores) + (cores == 1 ? " core" : " cores") +
                                  "\na worker never shares a core: ask for fewer, or for a larger allocation");
}

}  // namespace

std::vector<int> usable_cores() { return usable_cores(load_topology().get()); }

Machine describe_machine(int cpu_workers) {
  const Topology topology = load_topology();
  Machine m;
  m.host = host_name();
  m.cpu_model = model_of(topology.get());
  m.cores = static_cast<int>(usable_cores(topology.get()).size());
  add_memory(m, topology.get());
  const int n = count_workers(cpu_workers, m.cores);
  for (int i = 0; i < n; ++i) m.workers.push_back({.name = "cpu" + std::to_string(i)});
  m.hardware_key = hardware_key(m.cpu_model, static_cast<int>(cores_of(topology.get()).size()), instruction_set(),
                                caches_of(topology.get()));
  return m;
}

}  // namespace pleiad
