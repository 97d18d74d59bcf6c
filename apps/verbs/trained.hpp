#pragma once
#include "apps/checkpoint/checkpoint.hpp"
#include "apps/cli/command.hpp"
#include "apps/config/resolve.hpp"

namespace pleiad {

/// The checkpoint meant by a run's name, a run folder (both: the latest one) or a checkpoint folder. Error (data) if
/// there is none.
LoadedCheckpoint load_trained(const std::string& given, const std::filesystem::path& runs);

/// The config of the run that the checkpoint is of, changed by flags; its network is the checkpoint's.
ResolvedConfig config_of(const LoadedCheckpoint&, const std::vector<Setting>&);

/// Where runs are: --runs, else as the environment says.
std::filesystem::path runs_folder(const Command&);

}  // namespace pleiad
