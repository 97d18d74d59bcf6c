#pragma once
#include <string>
#include <vector>

namespace pleiad {

enum class Verdict : std::uint8_t { ok, warn, fail };

/// What one check of `pleiad doctor` found; `fix` says what to do, empty when nothing is to be done.
struct Finding {
  std::string check;
  Verdict verdict = Verdict::ok;
  std::string found, fix;
};

/// Runs every check. Needs no StarPU session, changes nothing but a file it writes and removes in the folders it tests.
std::vector<Finding> examine();

}  // namespace pleiad
