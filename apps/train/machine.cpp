#include "apps/train/machine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/run/file.hpp"

namespace pleiad {
namespace {

/// Rates of an earlier run on the same hardware; false if there are none or they cannot be read.
bool reuse_rates(Machine& machine, const std::filesystem::path& file) try {
  if (!std::filesystem::exists(file)) return false;
  const Machine before = machine_from_json(read_file(file));
  if (before.workers.empty() || before.workers[0].flops <= 0 || before.workers[0].bandwidth <= 0) return false;
  for (Worker& w : machine.workers) {
    w.flops = before.workers[0].flops;
    w.bandwidth = before.workers[0].bandwidth;
    w.overhead_us = before.workers[0].overhead_us;
  }
  return true;
} catch (const Error&) {
  return false;
}

void check_core(Index core, const std::vector<int>& usable) {
  if (std::ranges::count(usable, static_cast<int>(core)) > 0) return;
  throw Error(Exit::hardware, fmt::format("machine.cpus: core {} is not usable by this process\nusable cores: {}", core,
                                          fmt::join(usable, " ")));
}

}  // namespace

std::vector<int> worker_cores(const MachineConfig& config) {
  const auto usable = usable_cores();
  for (Index core : config.cpus.cores) check_core(core, usable);
  if (!config.cpus.cores.empty()) return {config.cpus.cores.begin(), config.cpus.cores.end()};
  const auto count = static_cast<std::size_t>(config.cpus.count);
  if (count > usable.size())
    throw Error(Exit::hardware,
                fmt::format("machine.cpus = {}, but this process may use {} core{}\nuse --machine.cpus {}", count,
                            usable.size(), usable.size() > 1 ? "s" : "", usable.size()));
  return count == 0 ? usable : std::vector<int>(usable.begin(), usable.begin() + config.cpus.count);
}

Machine measured_machine(int cpu_workers, const std::filesystem::path& home) {
  Machine machine = describe_machine(cpu_workers);
  const auto file = model_folder(home, machine) / "machine.json";
  if (reuse_rates(machine, file)) return machine;
  measure_rates(machine);
  make_directories(file.parent_path());
  write_file_atomically(file, to_json(machine));
  return machine;
}

std::filesystem::path model_folder(const std::filesystem::path& home, const Machine& machine) {
  return home / "perf" / machine.hardware_key / fmt::format("{}-workers", machine.workers.size());
}

std::string summary(const Machine& m) {
  return fmt::format("{}: {} core{}, {:.1f} GiB, no GPU", m.host, m.cores, m.cores > 1 ? "s" : "",
                     static_cast<double>(m.memories[0].usable_bytes()) / (1024.0 * 1024 * 1024));
}

}  // namespace pleiad
