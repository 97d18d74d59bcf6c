#pragma once
#include <string>
#include <string_view>

namespace pleiad {

/// Error (usage) unless the name can be a folder's: letters, digits, '.', '_', '-', not first a '.' or '-', at most
/// 100.
void check_run_name(std::string_view name);

/// "fmnist-mlp-1130-k3": title, month and day, a letter and a digit at random. Characters that a name cannot have
/// become
/// '-'; an empty title is "run".
std::string made_up_run_name(std::string_view title);

}  // namespace pleiad
