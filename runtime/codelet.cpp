#include "runtime/codelet.hpp"

#include <algorithm>
#include <functional>

namespace pleiad {

std::string Codelet::symbol_of(const std::string& name) {
  constexpr std::size_t most = 100, hash_digits = 8;
  std::string symbol = name;
  std::ranges::replace(symbol, '/', '_');
  if (symbol.size() <= most) return symbol;
  char hash[hash_digits + 1];
  std::snprintf(hash, sizeof hash, "%08x", starpu_hash_crc32c_be_n(name.data(), name.size(), 0));
  return symbol.substr(0, most - hash_digits - 1) + "." + hash;
}

Codelet::Codelet(const std::string& name, starpu_cpu_func_t run, starpu_cpu_func_t run_on_gpu,
                 std::uint32_t (*footprint)(starpu_task*))
    : symbol_(symbol_of(name)) {
  model_.type = STARPU_HISTORY_BASED;
  model_.symbol = symbol_.c_str();
  model_.footprint = footprint;
  starpu_codelet_init(&codelet_);
  codelet_.cpu_funcs[0] = run;
  codelet_.cuda_funcs[0] = codelet_.opencl_funcs[0] = run_on_gpu;
  codelet_.cuda_flags[0] = STARPU_CUDA_ASYNC;
  codelet_.opencl_flags[0] = STARPU_OPENCL_ASYNC;
  codelet_.nbuffers = STARPU_VARIABLE_NBUFFERS;
  codelet_.name = symbol_.c_str();
  codelet_.model = &model_;
}

}  // namespace pleiad
