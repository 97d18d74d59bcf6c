#pragma once
#include <starpu.h>

#include <string>

namespace pleiad {

/// What StarPU keeps about one kind of task: its name, entry point and history model. StarPU holds on to the address
/// until it shuts down.
class Codelet {
 public:
  Codelet(const std::string& name, starpu_cpu_func_t run, std::uint32_t (*footprint)(starpu_task*));
  Codelet(const Codelet&) = delete;
  Codelet& operator=(const Codelet&) = delete;

  starpu_codelet* get() { return &codelet_; }
  /// The name as a file name of at most 100 characters: long names end in a hash of the rest.
  static std::string symbol_of(const std::string& name);

 private:
  std::string symbol_;
  starpu_perfmodel model_{};
  starpu_codelet codelet_{};
};

}  // namespace pleiad
