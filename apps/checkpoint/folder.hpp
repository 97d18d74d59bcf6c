#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "apps/checkpoint/checkpoint.hpp"

namespace pleiad {

/// Steps of the checkpoints in the folder, highest first, complete or not.
std::vector<Index> steps_in(const std::filesystem::path& folder);

/// Step that LATEST names, if there is such a checkpoint.
std::optional<Index> latest_step(const std::filesystem::path& folder);

/// Makes LATEST (a file for programs) and latest (a symbolic link for people) name this step.
void set_latest(const std::filesystem::path& folder, Index step);

/// Removes what earlier writers left unfinished.
void remove_unfinished(const std::filesystem::path& folder);

/// Puts the finished `temporary` folder in the place of `final`, which may exist.
void publish(const std::filesystem::path& temporary, const std::filesystem::path& final);

/// Removes the checkpoints up to `newest` that need not be kept. Those beyond it, which a resume from an older one left
/// behind, are not counted and not touched.
void prune(const std::filesystem::path& folder, Index newest, Retention retention);

}  // namespace pleiad
