#pragma once
#include <string>

namespace pleiad {

/// Versions of the libraries that kernels call: "oneDNN 2.7.2 · OpenBLAS 0.3.21 Haswell".
std::string kernel_libraries();

}  // namespace pleiad
