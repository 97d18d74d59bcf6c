#include <cmath>
#include <nlohmann/json.hpp>

#include "perfmodels/machine.hpp"

namespace pleiad {
namespace {

using nlohmann::json;

[[noreturn]] void reject(const std::string& where, const std::string& what) {
  throw Error(Exit::data, "machine file: " + where + " " + what + "\nwrite a sample with: pleiad machine --json");
}

/// Reads the fields of one object; `path` names it in messages.
class Reader {
 public:
  Reader(const json& object, std::string path) : object_(object), path_(std::move(path)) {
    if (!object.is_object()) reject(path_.empty() ? "the top level" : path_, "must be an object");
  }
  std::string field(const char* key) const { return path_.empty() ? key : path_ + "." + key; }

  std::string text(const char* key, const char* otherwise) const {
    const json* j = find(key, otherwise == nullptr);
    if (j == nullptr) return otherwise;
    if (!j->is_string()) reject(field(key), "must be a string");
    return j->get<std::string>();
  }
  double number(const char* key, bool required = false, double otherwise = 0) const {
    const json* j = find(key, required);
    if (j == nullptr) return otherwise;
    if (!j->is_number() || !std::isfinite(j->get<double>()) || j->get<double>() < 0)
      reject(field(key), "must be a number that is not negative");
    return j->get<double>();
  }
  template <class Int>
  Int count(const char* key, bool required = false, Int otherwise = 0) const {
    const double x = number(key, required, static_cast<double>(otherwise));
    if (x != std::floor(x) || x > 1e15) reject(field(key), "must be a whole number");
    return static_cast<Int>(x);
  }
  const json& list(const char* key) const {
    const json& j = *find(key, true);
    if (!j.is_array() || j.empty()) reject(field(key), "must be a list of at least one object");
    return j;
  }

 private:
  const json* find(const char* key, bool required) const {
    const auto it = object_.find(key);
    if (it != object_.end()) return &*it;
    if (required) reject(field(key), "is missing");
    return nullptr;
  }

  const json& object_;
  std::string path_;
};

std::string element(const char* list, std::size_t i) { return std::string(list) + "[" + std::to_string(i) + "]"; }

Memory memory_from(const Reader& r) {
  return {.name = r.text("name", nullptr),
          .bytes = r.count<std::size_t>("bytes", true),
          .limit_bytes = r.count<std::size_t>("limit_bytes")};
}

Worker worker_from(const Reader& r, std::size_t memories) {
  const std::string device = r.text("device", "cpu");
  if (device != "cpu" && device != "gpu") reject(r.field("device"), "must be cpu or gpu, not " + device);
  Worker w{.name = r.text("name", nullptr),
           .model = r.text("model", ""),
           .device = device == "gpu" ? Device::gpu : Device::cpu};
  w.memory = r.count<int>("memory");
  if (static_cast<std::size_t>(w.memory) >= memories) reject(r.field("memory"), "is not the number of a memory");
  w.flops = r.number("flops");
  w.bandwidth = r.number("bandwidth");
  w.overhead_us = r.number("overhead_us");
  return w;
}

Machine machine_from(const Reader& r) {
  Machine m;
  m.host = r.text("host", "");
  m.cpu_model = r.text("cpu_model", "");
  m.hardware_key = r.text("hardware_key", "");
  m.numa_nodes = r.count<int>("numa_nodes", false, 1);
  const json &memories = r.list("memories"), &workers = r.list("workers");
  for (std::size_t i = 0; i < memories.size(); ++i)
    m.memories.push_back(memory_from(Reader(memories[i], element("memories", i))));
  for (std::size_t i = 0; i < workers.size(); ++i)
    m.workers.push_back(worker_from(Reader(workers[i], element("workers", i)), memories.size()));
  m.cores = r.count<int>("cores", false, static_cast<int>(workers.size()));
  return m;
}

}  // namespace

std::string to_json(const Machine& m) {
  json memories = json::array(), workers = json::array();
  for (const Memory& x : m.memories)
    memories.push_back({{"name", x.name}, {"bytes", x.bytes}, {"limit_bytes", x.limit_bytes}});
  for (const Worker& w : m.workers)
    workers.push_back({{"name", w.name},
                       {"model", w.model},
                       {"device", w.device == Device::gpu ? "gpu" : "cpu"},
                       {"memory", w.memory},
                       {"flops", w.flops},
                       {"bandwidth", w.bandwidth},
                       {"overhead_us", w.overhead_us}});
  return json{{"host", m.host},
              {"cpu_model", m.cpu_model},
              {"cores", m.cores},
              {"numa_nodes", m.numa_nodes},
              {"memories", memories},
              {"workers", workers},
              {"hardware_key", m.hardware_key}}
      .dump(2);
}

Machine machine_from_json(std::string_view text) {
  json j;
  try {
    j = json::parse(text);
  } catch (const json::parse_error& e) {
    reject("the text", "is not JSON: at byte " + std::to_string(e.byte));
  }
  return machine_from(Reader(j, ""));
}

}  // namespace pleiad
