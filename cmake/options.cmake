set(PLEIAD_ARCH native CACHE STRING "CPU that kernels are compiled for (-march); the oldest of the cluster, if unlike")
option(PLEIAD_TESTS "Build tests and benchmarks" ON)
option(PLEIAD_CUDA "Compile GPU kernels for CUDA as well; needs nvcc and a StarPU with CUDA" OFF)
set(PLEIAD_SANITIZE "" CACHE STRING "Sanitizers: address,undefined or thread")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
find_program(ccache ccache)
if(ccache)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${ccache})
endif()

# -ffast-math is never used: it breaks rounding tricks and NaN checks. Loops vectorise through `omp simd`.
add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-march=${PLEIAD_ARCH};-fopenmp-simd;-fno-math-errno;-fno-trapping-math>")
if(PLEIAD_SANITIZE)
  add_compile_options(-fsanitize=${PLEIAD_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${PLEIAD_SANITIZE})
endif()

add_library(project_warnings INTERFACE)
target_compile_options(project_warnings INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wconversion;-Wshadow;-Werror>"
  # restrict: false alarms of GCC 12 (bug 105651)
  "$<$<COMPILE_LANGUAGE:CXX>:-Wno-missing-field-initializers;-Wno-restrict>"
  # 177: kernel texts share functions that not all of them call
  "$<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings;-diag-suppress=177>")
