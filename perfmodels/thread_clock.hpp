#pragma once
#include <time.h>

namespace pleiad {

/// CPU time of the calling thread in microseconds: stands still while another program has the core.
inline double thread_us() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_nsec) * 1e-3;
}

}  // namespace pleiad
