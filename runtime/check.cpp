#include "runtime/check.hpp"

#include <cerrno>
#include <cstring>
#include <string>

#include "runtime/session.hpp"

namespace pleiad {
namespace {

Exit exit_of(int code) {
  if (code == -ENODEV) return Exit::hardware;
  return code == -ENOMEM ? Exit::memory : Exit::internal;
}
std::string meaning(int code) {
  if (code == -ENODEV) return "no worker can do this";
  return code < 0 ? std::strerror(-code) : "unknown error";
}

}  // namespace

StarpuError::StarpuError(const std::string& call, int code)
    : Error(exit_of(code), call + " failed: " + meaning(code) + " (code " + std::to_string(code) + ")") {}

void check(int code, const char* call) {
  if (code != 0) throw StarpuError(call, code);
}

}  // namespace pleiad
