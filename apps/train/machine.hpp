#pragma once
#include <filesystem>
#include <vector>

#include "apps/config/config.hpp"
#include "perfmodels/machine.hpp"

namespace pleiad {

/// Logical CPU numbers that get a worker each. Error (Exit::hardware) if more are asked for than this process may use.
std::vector<int> worker_cores(const MachineConfig&);

/// This machine with measured rates; what was measured before on the same hardware is taken from `home`.
Machine measured_machine(int cpu_workers, const std::filesystem::path& home);

/// Folder of `home` that holds the models for this hardware with so many workers: busy cores slow each other down.
std::filesystem::path model_folder(const std::filesystem::path& home, const Machine&);

/// "laptop: 2 cores, 23.5 GiB, no GPU".
std::string summary(const Machine&);

}  // namespace pleiad
