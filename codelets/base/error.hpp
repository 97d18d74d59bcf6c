#pragma once
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>

namespace pleiad {

/// Process exit codes; the user's contract (`pleiad help exit-codes`).
enum class Exit : int {
  ok = 0,
  internal = 1,
  usage = 2,     // command line or config; nothing was written
  data = 3,      // data or checkpoint missing, damaged or of another shape
  hardware = 4,  // hardware or library asked for is not there
  memory = 5,    // no plan fits, or out of memory at run time
  diverged = 6,  // NaN or Inf
  stalled = 7,   // no task finished in train.stall
  peer = 8,      // another rank died
  requeue = 75,  // stopped early with a checkpoint written
  interrupted = 130,
  terminated = 143
};

/// What went wrong, where and why on the first line; what to do on the next ones (at most four lines).
class Error : public std::runtime_error {
 public:
  Error(Exit exit, const std::string& message) : std::runtime_error(message), exit_(exit) {}
  Exit exit() const noexcept { return exit_; }

 private:
  Exit exit_;
};

/// An op was given operands that do not fit: a bug in a model or a wrong shape in the config.
class ShapeError : public Error {
 public:
  explicit ShapeError(const std::string& message) : Error(Exit::usage, message) {}
};

/// Ends the process from where no exception may leave: kernels, callbacks, destructors.
[[noreturn]] inline void fatal(const std::string& message) noexcept {
  std::fprintf(stderr, "fatal    %s\n", message.c_str());
  std::fflush(stderr);
  std::_Exit(static_cast<int>(Exit::internal));
}

}  // namespace pleiad
