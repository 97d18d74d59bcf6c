#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace pleiad {

/// The program's own environment variables, with what holds where they are not set.
struct Environment {
  std::filesystem::path home;                    // PLEIAD_HOME: performance models and other things kept between runs
  std::filesystem::path runs;                    // PLEIAD_RUNS: where run folders are made
  std::vector<std::filesystem::path> data_path;  // PLEIAD_DATA first, then the usual places
  std::string log;                               // PLEIAD_LOG: quiet | normal | verbose
};

/// Error (usage) if PLEIAD_LOG is none of its values.
Environment read_environment();

}  // namespace pleiad
