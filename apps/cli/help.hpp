#pragma once
#include <string>
#include <string_view>

namespace pleiad {

/// What `pleiad help NAME` prints: "" is the whole command, else a verb or a topic. Error (usage) for others.
std::string help_text(std::string_view name);

}  // namespace pleiad
