#include "runtime/cores.hpp"

#include <hwloc.h>

#include <string>

#include "codelets/base/error.hpp"

namespace pleiad {

void Cores::Free::operator()(hwloc_topology* t) const noexcept { hwloc_topology_destroy(t); }

Cores::Cores() {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) throw Error(Exit::hardware, "hwloc cannot describe this machine");
  topology_.reset(topology);
  if (hwloc_topology_load(topology) != 0) throw Error(Exit::hardware, "hwloc cannot describe this machine");
}

unsigned Cores::starpu_number(int os_number) const {
  const auto* pu =
      os_number < 0 ? nullptr : hwloc_get_pu_obj_by_os_index(topology_.get(), static_cast<unsigned>(os_number));
  if (pu == nullptr)
    throw Error(Exit::hardware, "core " + std::to_string(os_number) +
                                    " is not there, or this process may not use it\nsee: pleiad machine");
  return pu->logical_index;
}

int Cores::os_number(unsigned starpu_number) const {
  const auto* pu = hwloc_get_obj_by_type(topology_.get(), HWLOC_OBJ_PU, starpu_number);
  return pu == nullptr ? -1 : static_cast<int>(pu->os_index);
}

}  // namespace pleiad
