#include "perfmodels/machine.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apps/cli/message.hpp"
#include "apps/config/environment.hpp"
#include "apps/doctor/built_for.hpp"
#include "apps/train/machine.hpp"
#include "apps/verbs/libraries.hpp"
#include "apps/verbs/verbs.hpp"
#include "codelets/gpu/device.hpp"
#include "runtime/session.hpp"

namespace pleiad {

namespace {

/// Names of the devices that machine.gpus and machine.opencl choose from, in order.
std::vector<std::string> gpu_names() {
  std::vector<std::string> names;
  for (auto* devices : {&cuda_devices, &opencl_devices})
    for (const auto& gpu : devices())
      names.push_back(gpu->name() + (gpu->is_cpu() ? " (the CPU, for trying GPU kernels)" : ""));
  return names;
}

}  // namespace

int run_machine(const Command& command) {
  check_instructions();
  const auto home = read_environment().home;
  const Machine m = measured_machine(choose_workers({}), home);
  if (command.json) {
    auto document = nlohmann::json::parse(to_json(m));
    document["starpu"] = Session::version();
    document["gpus"] = gpu_names();
    document["libraries"] = kernel_libraries();
    document["built_for"] = built_for();
    fmt::print("{}\n", document.dump(2));
    return 0;
  }
  fmt::print("{}", labelled("machine", fmt::format("{}\n{}", summary(m), m.cpu_model)));
  fmt::print("{}",
             labelled("cores", fmt::format("{} usable: {} · {} NUMA node{}", m.cores, fmt::join(usable_cores(), " "),
                                           m.numa_nodes, m.numa_nodes > 1 ? "s" : "")));
  fmt::print("{}",
             labelled("rates", fmt::format("{:.0f} Gflop/s a core (fp32 matrix product), {:.1f} GB/s a core (copy)",
                                           m.workers[0].flops * 1e-9, m.workers[0].bandwidth * 1e-9)));
  const auto gpus = gpu_names();
  fmt::print("{}",
             labelled("gpus", gpus.empty() ? "none, by CUDA or OpenCL" : fmt::format("{}", fmt::join(gpus, "\n"))));
  fmt::print("{}", labelled("starpu", fmt::format("{} · {}", Session::version(), kernel_libraries())));
  fmt::print("{}", labelled("built", "for " + built_for()));
  fmt::print("{}", labelled("models", model_folder(home, m).string()));
  return 0;
}

}  // namespace pleiad
