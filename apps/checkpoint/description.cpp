#include "apps/checkpoint/description.hpp"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "apps/config/model_keys.hpp"
#include "codelets/base/error.hpp"

namespace pleiad {
namespace {

using Json = nlohmann::ordered_json;

/// 64-bit numbers as text: JSON numbers are doubles to many readers.
std::string to_hex(std::uint64_t x) { return fmt::format("{:016x}", x); }

std::uint64_t from_hex(const Json& value) {
  const auto text = value.get<std::string>();
  std::uint64_t x = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x, 16);
  if (error != std::errc{} || end != text.data() + text.size()) throw std::runtime_error("bad hexadecimal number");
  return x;
}

Shape to_shape(const Json& value) {
  const auto extents = value.get<std::vector<Index>>();
  if (extents.size() > kMaxRank) throw std::runtime_error("too many dimensions");
  Shape shape;
  for (const Index e : extents) {
    if (e < 1) throw std::runtime_error("a size below 1");
    shape.push_back(e);
  }
  return shape;
}

DType to_dtype(const std::string& name) {
  for (const DType t : {DType::f32, DType::f64, DType::bf16})
    if (name == name_of(t)) return t;
  throw std::runtime_error("unknown dtype " + name);
}

/// Parses the text and reads it by `read`; whatever goes wrong becomes an Error.
template <class Read>
auto parsed(std::string_view text, const std::filesystem::path& path, Read read) {
  try {
    return read(Json::parse(text));
  } catch (const std::exception& e) {
    throw Error(Exit::data,
                fmt::format("{}: cannot be used: {}\ngo back to an older checkpoint", path.string(), e.what()));
  }
}

}  // namespace

std::string to_json(const ModelCard& card) {
  Json json = {{"architectures", {"Pleiad" + card.model.kind}},
               {"model_type", card.model.kind},
               {"input_shape", std::vector<Index>(card.sample_shape.begin(), card.sample_shape.end())},
               {context_of(card.model) > 0 ? "vocab_size" : "num_labels", card.classes},
               {"dtype", name_of(card.dtype)}};
  for (const ModelKey& key : model_keys())
    if (key.used_by(card.model.kind)) std::visit([&](auto field) { json[key.json] = card.model.*field; }, key.field);
  return json.dump(2) + "\n";
}

ModelCard parse_card(std::string_view text, const std::filesystem::path& path) {
  return parsed(text, path, [](const Json& json) {
    ModelCard card;
    card.model.kind = json.at("model_type").get<std::string>();
    for (const ModelKey& key : model_keys())
      if (key.used_by(card.model.kind))
        std::visit([&](auto field) { json.at(key.json).get_to(card.model.*field); }, key.field);
    card.sample_shape = to_shape(json.at("input_shape"));
    card.classes = json.at(context_of(card.model) > 0 ? "vocab_size" : "num_labels").get<Index>();
    card.dtype = to_dtype(json.at("dtype").get<std::string>());
    return card;
  });
}

std::string to_json(const TrainingState& s) {
  const Json json = {{"step", s.step},
                     {"samples", s.samples},
                     {"epoch", s.epoch},
                     {"epoch_position", s.epoch_position},
                     {"steps", s.steps},
                     {"batch", s.batch},
                     {"seed", s.seed},
                     {"shuffle", s.shuffle},
                     {"lr", s.lr},
                     {"best_accuracy", s.best_accuracy ? Json(*s.best_accuracy) : Json()},
                     {"data_hash", to_hex(s.data_hash)},
                     {"config_hash", to_hex(s.config_hash)}};
  return json.dump(2) + "\n";
}

TrainingState parse_state(std::string_view text, const std::filesystem::path& path) {
  return parsed(text, path, [](const Json& json) {
    const auto number = [&](const char* name) { return json.at(name).get<Index>(); };
    TrainingState s;
    s.step = number("step");
    s.samples = number("samples");
    s.epoch = number("epoch");
    s.epoch_position = number("epoch_position");
    s.steps = number("steps");
    s.batch = number("batch");
    s.seed = number("seed");
    s.shuffle = json.at("shuffle").get<bool>();
    s.lr = json.at("lr").get<double>();
    if (const auto& best = json.at("best_accuracy"); !best.is_null()) s.best_accuracy = best.get<double>();
    s.data_hash = from_hex(json.at("data_hash"));
    s.config_hash = from_hex(json.at("config_hash"));
    return s;
  });
}

std::string to_json(const Manifest& manifest) {
  Json files = Json::object();
  for (const auto& [name, record] : manifest) files[name] = {{"size", record.size}, {"xxh3", to_hex(record.xxh3)}};
  return Json{{"format", 1}, {"files", files}}.dump(2) + "\n";
}

Manifest parse_manifest(std::string_view text, const std::filesystem::path& path) {
  return parsed(text, path, [](const Json& json) {
    if (json.at("format") != 1) throw std::runtime_error("written by a newer version of pleiad");
    Manifest manifest;
    for (const auto& [name, record] : json.at("files").items())
      manifest[name] = {record.at("size").get<std::uint64_t>(), from_hex(record.at("xxh3"))};
    return manifest;
  });
}

}  // namespace pleiad
