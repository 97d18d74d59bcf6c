#pragma once
#include <filesystem>
#include <vector>

#include "apps/config/config.hpp"
#include "perfmodels/machine.hpp"

namespace pleiad {

/// Workers of a training.
struct WorkerChoice {
  std::vector<int> cores;      // logical CPU numbers, one CPU worker each
  int cuda = 0, opencl = 0;    // GPU workers: the first so many devices
  std::vector<int> gpu_cores;  // for the threads of GPU workers; empty: those of the CPU workers
};
/// Error (Exit::hardware) if more cores are asked for than this process may use; Error (Exit::usage) where the config
/// asks for what these workers cannot give.
WorkerChoice choose_workers(const Config&);

/// This machine with these workers and measured rates; what was measured before on the same hardware is taken from
/// `home`.
Machine measured_machine(const WorkerChoice&, const std::filesystem::path& home);
/// The limit of memory.gpu in bytes, for the smallest GPU; 0 without GPUs.
std::size_t gpu_memory_bytes(const Machine&, const MemoryLimit&);

/// Folder of `home` that holds the models for this hardware with so many workers: busy cores slow each other down.
std::filesystem::path model_folder(const std::filesystem::path& home, const Machine&);

/// "laptop: 2 cores, 23.5 GiB, no GPU".
std::string summary(const Machine&);
/// "2 CPU workers, 1 GPU worker".
std::string workers_text(const Machine&);

}  // namespace pleiad
