#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace pleiad {

/// The policy to start StarPU with for `asked` ("auto": prio on equal workers, else dmdas). Throws Error (Exit::usage)
/// with a suggestion if there is no such policy.
std::string policy_for(const std::string& asked, bool equal_workers);
/// The known word with the fewest edits from `word`; the first of equals.
std::string nearest(std::string_view word, const std::vector<std::string>& known);

}  // namespace pleiad
