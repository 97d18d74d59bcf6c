#pragma once
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "codelets/gpu/queue.hpp"
#include "runtime/codelet.hpp"
#include "runtime/environment.hpp"
#include "runtime/session.hpp"

namespace pleiad {

/// What the parts of runtime/ share while a session lives.
struct Session::State {
  ScopedEnvironment environment;
  std::string policy;
  std::vector<std::string> overridden;
  std::vector<WorkerInfo> workers;
  double stall_seconds = 0;
  std::size_t gpu_memory_bytes = 0;               // that each GPU gives; 0: no limit known
  std::vector<std::unique_ptr<GpuQueue>> queues;  // one a worker; null for CPUs
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  std::map<std::string, Codelet> codelets;  // by symbol
  bool paused = false;
  bool stalled = false;  // a task hangs: StarPU cannot be shut down, nor anything it uses be freed

  void shut_down();
  /// Bytes that went into and out of each worker's memory since the last call, where that is not main memory.
  struct Traffic {
    std::vector<double> in, out;  // one a worker
    double total = 0;             // between any two memories
  };
  Traffic take_traffic() const;
};

}  // namespace pleiad
