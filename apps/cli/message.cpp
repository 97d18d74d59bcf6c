#include "apps/cli/message.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <new>

#include "codelets/base/error.hpp"

namespace pleiad {
namespace {

int report(Exit exit, std::string_view message) {
  std::fflush(stdout);
  std::fputs(labelled("error", message).c_str(), stderr);
  return static_cast<int>(exit);
}

}  // namespace

std::string labelled(std::string_view label, std::string_view text) {
  std::string result;
  while (true) {
    const auto end = std::min(text.find('\n'), text.size());
    result += fmt::format("{:8} {}\n", label, text.substr(0, end));
    if (end == text.size()) return result;
    text.remove_prefix(end + 1);
    label = "";
  }
}

int exit_code_of(const std::function<int()>& body) {
  try {
    return body();
  } catch (const Error& e) {
    return report(e.exit(), e.what());
  } catch (const std::bad_alloc&) {
    return report(Exit::memory, "out of memory\ntry a smaller --train.batch, or close other programs");
  } catch (const std::exception& e) {
    return report(Exit::internal, fmt::format("internal: {}", e.what()));
  }
}

}  // namespace pleiad
