#pragma once
#include <chrono>
#include <map>
#include <string>
#include <vector>

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
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  std::map<std::string, Codelet> codelets;  // by symbol
  bool paused = false;
  bool stalled = false;  // a task hangs: StarPU cannot be shut down, nor anything it uses be freed

  /// Bytes moved between memory nodes since the last call.
  static double take_moved_bytes();
};

}  // namespace pleiad
