#pragma once
#include <filesystem>

#include "apps/run/run_directory.hpp"

namespace pleiad {

/// Replaces run.json.
void write_run_record(const std::filesystem::path& run, const RunRecord& record);

}  // namespace pleiad
