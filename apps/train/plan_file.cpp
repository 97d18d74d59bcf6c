#include "apps/train/plan_file.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apps/run/file.hpp"

namespace pleiad {
namespace {

/// Members that are missing or of another type are left at their defaults: only the plan itself is needed.
template <class T>
T member_or(const nlohmann::json& object, const char* name, const T& otherwise) {
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? otherwise : found->get<T>();
}

}  // namespace

void write_plan_file(const std::filesystem::path& path, const Planned& planned, const Machine& machine) {
  const nlohmann::ordered_json j = {{"hardware_key", machine.hardware_key},
                                    {"predicted",
                                     {{"step_us", planned.estimate.step_us},
                                      {"area_bound_us", planned.estimate.area_us},
                                      {"critical_path_us", planned.estimate.critical_path_us},
                                      {"tasks", planned.tasks.tasks.size()},
                                      {"memory_bytes", planned.memory.total_bytes()}}},
                                    {"plan", nlohmann::ordered_json::parse(to_json(planned.plan))}};
  write_file_atomically(path, j.dump(2) + "\n");
}

PlanFile read_plan_file(const std::filesystem::path& path) try {
  const auto j = nlohmann::json::parse(read_file(path));
  if (!j.is_object()) throw Error(Exit::data, "must be a JSON object");
  const auto plan = j.find("plan");
  const auto predicted = member_or(j, "predicted", nlohmann::json::object());
  return {.plan = plan_from_json((plan == j.end() ? j : *plan).dump()),
          .hardware_key = member_or(j, "hardware_key", std::string()),
          .predicted_step_us = member_or(predicted, "step_us", 0.0)};
} catch (const nlohmann::json::exception& e) {
  throw Error(Exit::data, fmt::format("{}: {}", path.string(), e.what()));
} catch (const Error& e) {
  const std::string message = e.what();
  throw Error(Exit::data, message.find(path.string()) == std::string::npos
                              ? fmt::format("{}: {}", path.string(), message)
                              : message);
}

}  // namespace pleiad
