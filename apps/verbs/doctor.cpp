#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/cli/message.hpp"
#include "apps/doctor/checks.hpp"
#include "apps/verbs/verbs.hpp"
#include "codelets/base/error.hpp"

namespace pleiad {
namespace {

std::string_view name_of(Verdict verdict) {
  constexpr std::string_view names[] = {"OK", "WARN", "FAIL"};
  return names[static_cast<std::size_t>(verdict)];
}

nlohmann::json to_json(const Finding& f) {
  return {{"check", f.check}, {"verdict", name_of(f.verdict)}, {"found", f.found}, {"fix", f.fix}};
}

void print(const Finding& f) {
  fmt::print(" {:<5} {:<16} {}\n", name_of(f.verdict), f.check, f.found);
  if (!f.fix.empty()) fmt::print(" {:<22} fix: {}\n", "", f.fix);
}

}  // namespace

int run_doctor(const Command& command) {
  const auto findings = examine();
  const auto count = [&](Verdict v) { return std::ranges::count(findings, v, &Finding::verdict); };
  if (command.json) {
    auto rows = nlohmann::json::array();
    for (const Finding& f : findings) rows.push_back(to_json(f));
    fmt::print("{}\n", rows.dump(2));
  } else {
    for (const Finding& f : findings) print(f);
    fmt::print("{}", labelled("doctor", fmt::format("{} checks: {} OK, {} WARN, {} FAIL", findings.size(),
                                                    count(Verdict::ok), count(Verdict::warn), count(Verdict::fail))));
  }
  return static_cast<int>(count(Verdict::fail) > 0 ? Exit::hardware : Exit::ok);
}

}  // namespace pleiad
