#include "codelets/gpu/texts.hpp"

#include <algorithm>

#include "codelets/base/error.hpp"

namespace pleiad {

std::size_t gpu_text_of(std::string_view kernel) {
  const auto names = gpu_kernel_names();
  const auto at = std::ranges::lower_bound(names, kernel, {}, &GpuKernelName::name);
  if (at == names.end() || at->name != kernel)
    throw Error(Exit::internal, "no kernel text (*.gpu) has KERNEL(" + std::string(kernel) + ")");
  return at->text;
}

std::string opencl_source(const GpuText& t, DType dtype) {
  constexpr std::string_view macros[] = {"T_F32", "T_F64", "T_BF16", "T_I32"};  // by DType
  std::string source("#define ");
  source.append(macros[static_cast<std::size_t>(dtype)]).append("\n").append(gpu_language());
  return source.append("\n#line 1 \"").append(t.file).append("\"\n").append(t.text);
}

}  // namespace pleiad
