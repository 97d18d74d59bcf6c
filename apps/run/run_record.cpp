#include "apps/run/run_record.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apps/run/file.hpp"

namespace pleiad {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Segment& s) {
  return {{"start", s.start},         {"end", s.end},  {"host", s.host}, {"pid", s.pid}, {"first_step", s.first_step},
          {"last_step", s.last_step}, {"stop", s.stop}};
}

Segment to_segment(const Json& json) {
  return {json.at("start").get<double>(),    json.at("end").get<double>(),       json.at("host").get<std::string>(),
          json.at("pid").get<Index>(),       json.at("first_step").get<Index>(), json.at("last_step").get<Index>(),
          json.at("stop").get<std::string>()};
}

RunRecord to_record(const Json& json) {
  RunRecord record;
  record.name = json.at("id").get<std::string>();
  record.state = json.at("state").get<std::string>();
  if (const auto& code = json.at("exit_code"); !code.is_null()) record.exit_code = code.get<int>();
  record.argv = json.at("argv").get<std::vector<std::string>>();
  for (const auto& s : json.at("segments")) record.segments.push_back(to_segment(s));
  return record;
}

}  // namespace

RunRecord read_run_record(const std::filesystem::path& run) {
  const auto file = run / "run.json";
  try {
    return to_record(Json::parse(read_file(file)));
  } catch (const nlohmann::json::exception& e) {
    throw Error(Exit::data, fmt::format("{} is damaged: {}", file.string(), e.what()));
  }
}

void write_run_record(const std::filesystem::path& run, const RunRecord& record) {
  Json json = {{"id", record.name},
               {"state", record.state},
               {"exit_code", record.exit_code ? Json(*record.exit_code) : Json()},
               {"argv", record.argv},
               {"segments", Json::array()}};
  for (const Segment& s : record.segments) json["segments"].push_back(to_json(s));
  write_file_atomically(run / "run.json", json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace pleiad
