#pragma once
#if defined(__SSE2__)
#include <pmmintrin.h>
#endif

namespace pleiad {

/// Makes the calling thread treat numbers too small to be normal as zero (FTZ and DAZ). Gradients that vanish would
/// otherwise cost a quarter of a step. All executors do this, so that all give the same bits.
inline void flush_denormals() noexcept {
#if defined(__SSE2__)
  _MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON);
  _MM_SET_DENORMALS_ZERO_MODE(_MM_DENORMALS_ZERO_ON);
#endif
}

/// The same for as long as this object lives.
class FlushDenormals {
 public:
#if defined(__SSE2__)
  FlushDenormals() noexcept : before_(_mm_getcsr()) { flush_denormals(); }
  ~FlushDenormals() { _mm_setcsr(before_); }

 private:
  unsigned before_;
#else
  FlushDenormals() noexcept {}
  ~FlushDenormals() {}

 public:
#endif
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;
};

}  // namespace pleiad
