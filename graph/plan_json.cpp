#include <algorithm>
#include <nlohmann/json.hpp>

#include "codelets/base/error.hpp"
#include "graph/plan.hpp"

namespace pleiad {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kAbsentNames[] = {"first", "by_family", "by_tile"};

/// A JSON value and where it stands ("numerics.cuts.batch"), for messages.
struct Field {
  const Json& value;
  std::string path;

  [[noreturn]] void bad(const std::string& what) const {
    throw Error(Exit::data, "plan: " + (path.empty() ? "the document" : path) + ": " + what);
  }
  Field operator[](const std::string& name) const {
    object();
    if (!value.contains(name)) bad("field " + name + " is missing");
    return {value.at(name), path.empty() ? name : path + "." + name};
  }
  const Json& object() const { return value.is_object() ? value : (bad("must be an object"), value); }
  const Json& array() const { return value.is_array() ? value : (bad("must be an array"), value); }
  template <class T>
  T number() const {
    if (std::is_integral_v<T> ? !value.is_number_integer() : !value.is_number())
      bad(std::is_integral_v<T> ? "must be an integer" : "must be a number");
    if (std::is_integral_v<T> && value.get<Index>() != static_cast<Index>(value.get<T>()))
      bad(value.dump() + " is too large");
    return value.get<T>();
  }
  std::string text() const { return value.is_string() ? value.get<std::string>() : (bad("must be a string"), ""); }
  template <class T>
  std::vector<T> numbers() const {
    std::vector<T> all;
    each_element([&](const Field& f) { all.push_back(f.number<T>()); });
    return all;
  }
  template <class F>
  void each_element(F f) const {
    for (std::size_t i = 0; i < array().size(); ++i) f(Field{value[i], path + "[" + std::to_string(i) + "]"});
  }
  template <class F>
  void each_member(F f) const {
    for (const auto& [name, child] : object().items()) f(name, Field{child, path + "." + name});
  }
  void only(std::initializer_list<std::string_view> known) const {
    for (const auto& [name, child] : object().items())
      if (std::find(known.begin(), known.end(), name) == known.end()) bad("unknown field " + name);
  }
};

Cut cut_from(const Field& f) {
  f.only({"bounds", "lane"});
  return {.bounds = f["bounds"].numbers<Index>(), .lane = f["lane"].numbers<int>()};
}

GridAxis::Absent absent_from(const Field& f) {
  const std::string name = f.text();
  for (std::size_t i = 0; i < std::size(kAbsentNames); ++i)
    if (name == kAbsentNames[i]) return static_cast<GridAxis::Absent>(i);
  f.bad("must be first, by_family or by_tile, not " + name);
}

Numerics numerics_from(const Field& f) {
  f.only({"cuts", "implementations"});
  Numerics n;
  f["cuts"].each_member([&](const std::string& name, const Field& cut) { n.cuts[name] = cut_from(cut); });
  f["implementations"].each_member(
      [&](const std::string& kernel, const Field& impl) { n.implementations[kernel] = impl.text(); });
  return n;
}

Placement placement_from(const Field& f) {
  f.only({"grid", "spread", "stage_rank", "grain_us"});
  Placement p;
  f["grid"].each_element([&](const Field& axis) {
    axis.only({"size", "absent"});
    p.grid.push_back({.size = axis["size"].number<int>(), .absent = absent_from(axis["absent"])});
  });
  f["spread"].each_member([&](const std::string& name, const Field& s) {
    s.only({"grid_axis", "coordinate"});
    p.spread[name] = {.grid_axis = s["grid_axis"].number<int>(), .coordinate = s["coordinate"].numbers<int>()};
  });
  p.stage_rank = f["stage_rank"].numbers<int>();
  p.grain_us = f["grain_us"].number<double>();
  return p;
}

Json parsed(std::string_view text) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& e) {
    throw Error(Exit::data, std::string("plan: not JSON: ") + e.what());
  }
}

}  // namespace

std::string to_json(const Plan& p) {
  Json cuts = Json::object(), grid = Json::array(), spread = Json::object();
  for (const auto& [name, cut] : p.numerics.cuts) cuts[name] = {{"bounds", cut.bounds}, {"lane", cut.lane}};
  for (const GridAxis& a : p.placement.grid)
    grid.push_back({{"size", a.size}, {"absent", kAbsentNames[static_cast<std::size_t>(a.absent)]}});
  for (const auto& [name, s] : p.placement.spread)
    spread[name] = {{"grid_axis", s.grid_axis}, {"coordinate", s.coordinate}};
  Json implementations = Json::object();
  for (const auto& [kernel, impl] : p.numerics.implementations) implementations[kernel] = impl;
  const Json all = {{"numerics", {{"cuts", cuts}, {"implementations", implementations}}},
                    {"placement",
                     {{"grid", grid},
                      {"spread", spread},
                      {"stage_rank", p.placement.stage_rank},
                      {"grain_us", p.placement.grain_us}}}};
  return all.dump(2);
}

Plan plan_from_json(std::string_view text) {
  const Json json = parsed(text);
  const Field root{json, ""};
  root.only({"numerics", "placement"});
  return {.numerics = numerics_from(root["numerics"]), .placement = placement_from(root["placement"])};
}

}  // namespace pleiad
