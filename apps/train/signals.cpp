#include "apps/train/signals.hpp"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>

#include "codelets/base/error.hpp"

namespace pleiad {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGUSR2};
std::atomic<int> first_signal{0};
static_assert(std::atomic<int>::is_always_lock_free, "used in a signal handler");
std::array<struct sigaction, kSignals.size()> former;

void on_signal(int signal) {
  int none = 0;
  if (!first_signal.compare_exchange_strong(none, signal) && signal == SIGINT)
    _exit(static_cast<int>(Exit::interrupted));
}

}  // namespace

StopSignals::StopSignals() {
  first_signal = 0;
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &action, &former[i]);
}
StopSignals::~StopSignals() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &former[i], nullptr);
}
int StopSignals::received() noexcept { return first_signal; }
const char* StopSignals::name(int signal) noexcept {
  return signal == SIGINT ? "Ctrl-C" : signal == SIGTERM ? "TERM" : "USR2";
}

}  // namespace pleiad
