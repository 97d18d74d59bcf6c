#pragma once
#include <starpu.h>

#include <string>

namespace pleiad {

/// What StarPU keeps about one kind of task: its name, entry points and history model. StarPU holds on to the address
/// until it shuts down.
class Codelet {
 public:
  /// `run_on_gpu` only starts kernels on the worker's stream.
  Codelet(const std::string& name, starpu_cpu_func_t run, starpu_cpu_func_t run_on_gpu,
          std::uint32_t (*footprint)(starpu_task*));
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
