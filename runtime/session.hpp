#pragma once
#include <memory>
#include <string>
#include <vector>

#include "codelets/base/error.hpp"

namespace pleiad {

/// A StarPU call failed: the call, its code and what the code means.
class StarpuError : public Error {
 public:
  StarpuError(const std::string& call, int code);
};

/// GPU workers. Each has a thread of its own, which needs a core while it starts work.
struct GpuOptions {
  int cuda = 0, opencl = 0;      // how many, the first ones
  bool opencl_cpus = false;      // take OpenCL devices that are CPUs: GPU kernels without a GPU
  std::vector<int> cores;        // logical CPU numbers for the threads; empty: those of the CPU workers
  std::size_t memory_bytes = 0;  // that each device gives to Pleiad; 0: StarPU decides
};

struct SessionOptions {
  std::vector<int> cores;       // logical CPU numbers to bind one CPU worker each to; empty: all of usable_cores()
  std::string policy = "auto";  // auto: prio on equal workers, dmdas on unlike ones
  std::string model_folder;     // StarPU's history models; created; empty: where StarPU keeps them by itself
  double stall_seconds = 60;    // watchdog of StarpuExecutor::step; 0: off
  GpuOptions gpus;
};

/// Per-worker facts of a running session.
struct WorkerInfo {
  std::string name;  // "cpu0"
  std::string kind;  // "cpu", "opencl", "cuda"
  int memory = 0;    // node it computes from; 0: main memory
  int core = -1;
};

/// The StarPU runtime: one at a time in a process; everything that uses it dies before it does. Sets StarPU's
/// environment (clean buffers 0, no signal handlers, model folder, silence) unless the user's own STARPU_* says
/// otherwise; `overridden()` lists those. Idle workers spin: `pause` lets them sleep.
class Session {
 public:
  explicit Session(const SessionOptions&);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const std::vector<WorkerInfo>& workers() const;
  const std::string& policy() const;
  const std::vector<std::string>& overridden() const;  // "STARPU_NCPU=2", ...
  static std::string version();                        // "1.4.10"
  /// For times without steps: workers finish what was submitted, then sleep until `resume` or the next use of an
  /// executor. Not for short gaps: where other programs compete for the cores, waking takes milliseconds.
  void pause();
  void resume();
  /// Scheduling policies that may be asked for; another name throws Error (Exit::usage) with a suggestion.
  static std::vector<std::string> policies();

  struct State;  // of runtime/ alone
  State& state() const { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

}  // namespace pleiad
