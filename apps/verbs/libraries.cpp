#include "apps/verbs/libraries.hpp"

#include <cblas.h>
#include <dnnl.h>
#include <fmt/format.h>

#include <sstream>

namespace pleiad {

std::string kernel_libraries() {
  const auto* dnnl = dnnl_version();
  std::istringstream config(openblas_get_config());  // "OpenBLAS 0.3.21 DYNAMIC_ARCH ..."
  std::string name, version;
  config >> name >> version;
  return fmt::format("oneDNN {}.{}.{} · {} {} {}", dnnl->major, dnnl->minor, dnnl->patch, name, version,
                     openblas_get_corename());
}

}  // namespace pleiad
