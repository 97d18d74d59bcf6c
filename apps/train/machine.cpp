#include "apps/train/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "apps/run/file.hpp"
#include "codelets/gpu/device.hpp"

namespace pleiad {
namespace {

/// Rates of an earlier run on the same hardware; false if some are missing or they cannot be read.
bool reuse_rates(Machine& machine, const std::filesystem::path& file) try {
  if (!std::filesystem::exists(file)) return false;
  const Machine before = machine_from_json(read_file(file));
  for (Worker& w : machine.workers) {
    const auto it = std::ranges::find(before.workers, w.name, &Worker::name);
    if (it == before.workers.end() || it->flops <= 0 || it->bandwidth <= 0) return false;
    w.flops = it->flops;
    w.bandwidth = it->bandwidth;
    w.overhead_us = it->overhead_us;
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

std::vector<int> cores_asked_for(const MachineConfig& config, const std::vector<int>& usable) {
  for (Index core : config.cpus.cores) check_core(core, usable);
  if (!config.cpus.cores.empty()) return {config.cpus.cores.begin(), config.cpus.cores.end()};
  const auto count = static_cast<std::size_t>(config.cpus.count);
  if (count > usable.size())
    throw Error(Exit::hardware,
                fmt::format("machine.cpus = {}, but this process may use {} core{}\nuse --machine.cpus {}", count,
                            usable.size(), usable.size() > 1 ? "s" : "", usable.size()));
  return count == 0 ? usable : std::vector<int>(usable.begin(), usable.begin() + config.cpus.count);
}

bool is_cpu(const Worker& w) { return w.device == Device::cpu; }

/// "3x NVIDIA H200, opencl: pthread".
std::string gpus_text(const Machine& m) {
  std::map<std::string, int> count;
  for (const Worker& w : m.workers)
    if (!is_cpu(w)) ++count[w.model];
  std::string text;
  for (const auto& [model, n] : count)
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", n > 1 ? fmt::format("{}x ", n) : "", model);
  return text;
}

/// As part of a folder's name.
std::string slug(std::string text) {
  for (char& c : text) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '-';
  return text;
}

void check_workers(const WorkerChoice& workers, const Config& config) {
  if (workers.cuda + workers.opencl == 0) return;
  const auto refuse = [](const std::string& what) {
    throw Error(Exit::usage, what + "\nadd --machine.gpus 0 and leave machine.opencl at 0 to use CPUs alone");
  };
  if (config.numerics.deterministic)
    refuse("numerics.deterministic needs workers of one kind: CPUs and GPUs round differently");
  if (config.schedule.policy == "sequential") refuse("schedule.policy = sequential runs on one CPU");
}

}  // namespace

WorkerChoice choose_workers(const Config& config) {
  const MachineConfig& machine = config.machine;
  WorkerChoice choice{.cores = cores_asked_for(machine, usable_cores()),
                      .cuda = machine.gpus ? static_cast<int>(*machine.gpus) : cuda_device_count(),
                      .opencl = static_cast<int>(machine.opencl)};
  check_workers(choice, config);
  const bool all = machine.cpus.cores.empty() && machine.cpus.count == 0;
  const int gpus = choice.cuda + (choice.opencl > 0 && !opencl_is_on_cpus() ? choice.opencl : 0);
  for (int i = 0; all && i < gpus && choice.cores.size() > 1; ++i) {
    choice.gpu_cores.push_back(choice.cores.back());
    choice.cores.pop_back();
  }
  return choice;
}

Machine measured_machine(const WorkerChoice& workers, const std::filesystem::path& home) {
  Machine machine = describe_machine(static_cast<int>(workers.cores.size()));
  add_gpus(machine, workers.cuda, workers.opencl);
  const auto file = model_folder(home, machine) / "machine.json";
  if (reuse_rates(machine, file)) return machine;
  measure_rates(machine);
  measure_gpu_rates(machine);
  make_directories(file.parent_path());
  write_file_atomically(file, to_json(machine));
  return machine;
}

std::size_t gpu_memory_bytes(const Machine& m, const MemoryLimit& limit) {
  std::size_t least = 0;
  for (const Worker& w : m.workers) {
    if (is_cpu(w)) continue;
    const std::size_t bytes = m.memories[static_cast<std::size_t>(w.memory)].usable_bytes();
    least = least == 0 ? bytes : std::min(least, bytes);
  }
  if (limit.bytes > 0) return std::min(least, static_cast<std::size_t>(limit.bytes));
  return static_cast<std::size_t>(static_cast<double>(least) * limit.share);
}

std::filesystem::path model_folder(const std::filesystem::path& home, const Machine& machine) {
  const auto cpus = std::ranges::count_if(machine.workers, is_cpu);
  const std::string gpus = gpus_text(machine);
  return home / "perf" / machine.hardware_key /
         fmt::format("{}-workers{}{}", cpus, gpus.empty() ? "" : "+", slug(gpus));
}

std::string summary(const Machine& m) {
  const std::string gpus = gpus_text(m);
  return fmt::format("{}: {} core{}, {:.1f} GiB, {}", m.host, m.cores, m.cores > 1 ? "s" : "",
                     static_cast<double>(m.memories[0].usable_bytes()) / (1024.0 * 1024 * 1024),
                     gpus.empty() ? "no GPU" : gpus);
}

std::string workers_text(const Machine& m) {
  const auto cpus = std::ranges::count_if(m.workers, is_cpu), gpus = std::ssize(m.workers) - cpus;
  return fmt::format("{} CPU worker{}{}", cpus, cpus > 1 ? "s" : "",
                     gpus > 0 ? fmt::format(", {} GPU worker{}", gpus, gpus > 1 ? "s" : "") : "");
}

}  // namespace pleiad
