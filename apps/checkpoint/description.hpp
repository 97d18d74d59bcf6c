#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "apps/checkpoint/checkpoint.hpp"

namespace pleiad {

/// JSON texts of a checkpoint and back. Errors (data) name `path`.
std::string to_json(const ModelCard& card);
ModelCard parse_card(std::string_view text, const std::filesystem::path& path);

std::string to_json(const TrainingState& state);
TrainingState parse_state(std::string_view text, const std::filesystem::path& path);

/// MANIFEST.json: what each file of the checkpoint must hold.
using Manifest = std::map<std::string, FileRecord>;
std::string to_json(const Manifest& manifest);
Manifest parse_manifest(std::string_view text, const std::filesystem::path& path);

}  // namespace pleiad
