#pragma once
#include <memory>
#include <vector>

struct hwloc_topology;

namespace pleiad {

/// Two numberings of logical CPUs: the operating system's, which Pleiad uses, and hwloc's, which StarPU uses.
class Cores {
 public:
  Cores();
  /// Throws Error (Exit::hardware) naming the core if it is not there.
  unsigned starpu_number(int os_number) const;
  int os_number(unsigned starpu_number) const;

 private:
  struct Free {
    void operator()(hwloc_topology*) const noexcept;
  };
  std::unique_ptr<hwloc_topology, Free> topology_;
};

}  // namespace pleiad
