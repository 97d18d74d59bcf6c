#include "apps/doctor/hardware_checks.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "apps/doctor/built_for.hpp"
#include "perfmodels/hardware_key.hpp"
#include "perfmodels/machine.hpp"

namespace pleiad {
namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

/// A short file of the kernel as text; empty if it is not there.
std::string kernel_text(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

Finding instruction_set_fits() {
  const auto missing = missing_instructions();
  if (missing.empty())
    return {"instructions", Verdict::ok, fmt::format("built for {}, CPU has {}", built_for(), instruction_set()), ""};
  return {"instructions", Verdict::fail, fmt::format("built for {}, but this CPU lacks {}", built_for(), missing),
          "build here, or with -DPLEIAD_ARCH=x86-64-v3"};
}

Finding cores_are_there(const Machine& m) {
  const auto all = sysconf(_SC_NPROCESSORS_ONLN);
  const auto text = fmt::format("{} usable, {} logical CPUs on the machine · {} NUMA node{}", m.cores, all,
                                m.numa_nodes, m.numa_nodes > 1 ? "s" : "");
  return {"cores", Verdict::ok, text, ""};
}

/// Share of one core that a cgroup's quota allows, in cores; 0: no quota.
double quota_cores() {
  std::stringstream text(kernel_text("/sys/fs/cgroup/cpu.max"));
  std::string quota;
  double period = 0;
  if (!(text >> quota >> period) || quota == "max" || period <= 0) return 0;
  return std::strtod(quota.c_str(), nullptr) / period;
}

Finding quota_covers_cores(const Machine& m) {
  const double quota = quota_cores();
  if (quota == 0 || quota >= m.cores)
    return {"cpu quota", Verdict::ok, quota == 0 ? "none" : fmt::format("{:.1f} cores", quota), ""};
  return {"cpu quota", Verdict::warn,
          fmt::format("{:.1f} cores for {} workers: they will be stopped in turn", quota, m.cores),
          fmt::format("--machine.cpus {}, or a larger quota", std::max(1, static_cast<int>(quota)))};
}

Finding load_is_low(const Machine& m) {
  double load = 0;
  std::stringstream(kernel_text("/proc/loadavg")) >> load;
  const bool busy = load > 0.5 * m.cores;
  return {"load", busy ? Verdict::warn : Verdict::ok,
          fmt::format("{:.1f} tasks running on average for {} cores", load, m.cores),
          busy ? "predictions will be off while other programs run: see top" : ""};
}

Finding memory_is_free(const Machine& m) {
  double available_kib = 0;
  std::stringstream text(kernel_text("/proc/meminfo"));
  for (std::string line; std::getline(text, line);)
    if (line.starts_with("MemAvailable:")) available_kib = std::strtod(line.c_str() + 13, nullptr);
  const double usable = static_cast<double>(m.memories[0].usable_bytes()) / kGiB;
  const double available = available_kib / (1024 * 1024);
  const bool tight = available < 1;
  return {"memory", tight ? Verdict::warn : Verdict::ok,
          fmt::format("{:.1f} GiB usable, {:.1f} GiB available now", usable, available),
          tight ? "end other programs, or use a smaller --train.batch" : ""};
}

Finding huge_pages_are_on() {
  const auto mode = kernel_text("/sys/kernel/mm/transparent_hugepage/enabled");
  if (mode.empty())
    return {"huge pages", Verdict::warn, "this kernel does not say",
            "nothing: buffers work with small pages, up to 2x slower"};
  if (mode.find("[never]") == std::string::npos)
    return {"huge pages", Verdict::ok, mode.substr(0, mode.find('\n')), ""};
  return {"huge pages", Verdict::warn, "off: touching buffers is slower",
          "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled"};
}

Finding address_space_is_free() {
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  if (limit.rlim_cur == RLIM_INFINITY) return {"ulimit -v", Verdict::ok, "unlimited", ""};
  return {"ulimit -v", Verdict::warn,
          fmt::format("{:.1f} GiB of address space", static_cast<double>(limit.rlim_cur) / kGiB),
          "ulimit -v unlimited"};
}

Finding files_are_allowed() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const bool few = limit.rlim_cur < 256;
  return {"ulimit -n", few ? Verdict::warn : Verdict::ok, fmt::format("{} open files", limit.rlim_cur),
          few ? "ulimit -n 1024" : ""};
}

Finding governor_is_fast() {
  const auto governor = kernel_text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  const bool slow = governor.starts_with("powersave");
  return {"cpu governor", slow ? Verdict::warn : Verdict::ok,
          governor.empty() ? "not exposed" : governor.substr(0, governor.find('\n')),
          slow ? "sudo cpupower frequency-set -g performance" : ""};
}

Finding gpus_are_known() {
  int gpus = 0;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/dev", ignored)) {
    const auto name = entry.path().filename().string();
    gpus += name.size() == 7 && name.starts_with("nvidia") && std::isdigit(static_cast<unsigned char>(name[6])) != 0;
  }
  if (gpus == 0) return {"gpus", Verdict::ok, "none", ""};
  return {"gpus", Verdict::warn, fmt::format("{} NVIDIA device{}: not used by this version", gpus, gpus > 1 ? "s" : ""),
          "nothing: ops run on CPUs"};
}

}  // namespace

std::vector<Finding> examine_hardware() {
  const Machine m = describe_machine(-1);
  return {instruction_set_fits(), cores_are_there(m),      quota_covers_cores(m), load_is_low(m),     memory_is_free(m),
          huge_pages_are_on(),    address_space_is_free(), files_are_allowed(),   governor_is_fast(), gpus_are_known()};
}

}  // namespace pleiad
