#pragma once

namespace pleiad {

/// Turns Ctrl-C, TERM and USR2 into a request to write a checkpoint and stop; one at a time in a process. A second
/// Ctrl-C ends the process at once with 130. Restores the former handlers when it dies.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// Number of the signal that came first; 0: none.
  static int received() noexcept;
  /// "Ctrl-C", "TERM", "USR2".
  static const char* name(int signal) noexcept;
};

}  // namespace pleiad
