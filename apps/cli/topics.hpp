#pragma once
#include <span>
#include <string_view>

namespace pleiad {

/// A page of `pleiad help TOPIC`.
struct Topic {
  std::string_view name, help, text;
};

std::span<const Topic> topics();

}  // namespace pleiad
