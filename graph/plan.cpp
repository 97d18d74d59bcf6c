#include "graph/plan.hpp"

#include <algorithm>
#include <functional>

#include "graph/index.hpp"

namespace pleiad {
namespace {

std::vector<int> contiguous_lanes(std::size_t tiles, int lanes) {
  const auto n = std::min(tiles, static_cast<std::size_t>(std::max(lanes, 1)));
  std::vector<int> lane;
  for (std::size_t i = 0; i < tiles; ++i) lane.push_back(static_cast<int>(i * n / tiles));
  return lane;
}

[[noreturn]] void bad(const std::string& name, const std::string& what) {
  throw Error(Exit::usage, "plan: class " + name + ": " + what);
}

std::string names_of(const Classes& c) {
  std::string all;
  for (const std::string& n : c.name) all += (all.empty() ? "" : ", ") + n;
  return all;
}

int known_class(const std::string& name, const Classes& c) {
  const int k = c.find(name);
  if (k < 0) bad(name, "there is no such class\n         classes: " + names_of(c));
  return k;
}

void check_cut(const std::string& name, const Cut& cut, const Classes& c) {
  const int k = known_class(name, c);
  const auto& b = cut.bounds;
  const Index extent = at(c.extent, k);
  if (b.size() < 2 || b.front() != 0 || b.back() != extent ||
      std::adjacent_find(b.begin(), b.end(), std::greater_equal<>()) != b.end())
    bad(name, "bounds must rise from 0 to " + std::to_string(extent));
  if (cut.lane.size() != cut.tiles())
    bad(name, std::to_string(cut.lane.size()) + " lanes for " + std::to_string(cut.tiles()) + " tiles");
  if (std::any_of(cut.lane.begin(), cut.lane.end(), [](int l) { return l < 0; })) bad(name, "lanes start at 0");
  if (c.whole[static_cast<std::size_t>(k)] && cut.tiles() > 1)
    bad(name,
        "must be whole because of " + at(c.why, k) + ", but is cut into " + std::to_string(cut.tiles()) + " tiles");
}

void check_spread(const std::string& name, const Spread& s, const Plan& p, const Classes& c) {
  known_class(name, c);
  if (s.grid_axis < 0 || s.grid_axis >= count(p.placement.grid))
    bad(name,
        "is spread along grid axis " + std::to_string(s.grid_axis) + " of " + std::to_string(p.placement.grid.size()));
  const auto cut = p.numerics.cuts.find(name);
  const std::size_t tiles = cut == p.numerics.cuts.end() ? 1 : cut->second.tiles();
  if (s.coordinate.size() != tiles)
    bad(name, std::to_string(s.coordinate.size()) + " grid coordinates for " + std::to_string(tiles) + " tiles");
  const int size = at(p.placement.grid, s.grid_axis).size;
  for (int x : s.coordinate)
    if (x < 0 || x >= size) bad(name, "grid coordinate " + std::to_string(x) + " is not below " + std::to_string(size));
}

}  // namespace

Cut even_cut(Index extent, Index n, int lanes) {
  if (n < 1 || n > extent)
    throw Error(Exit::usage,
                "an axis of " + std::to_string(extent) + " cannot be cut into " + std::to_string(n) + " tiles");
  Cut cut;
  for (Index i = 0; i <= n; ++i) cut.bounds.push_back(extent / n * i + std::min(i, extent % n));
  cut.lane = contiguous_lanes(cut.tiles(), lanes);
  return cut;
}

Cut cut_of_sizes(const std::vector<Index>& sizes, int lanes) {
  if (sizes.empty()) throw Error(Exit::usage, "a cut needs at least one tile");
  Cut cut{.bounds = {0}, .lane = {}};
  for (Index size : sizes) {
    if (size < 1) throw Error(Exit::usage, "a tile cannot have " + std::to_string(size) + " elements along an axis");
    cut.bounds.push_back(cut.bounds.back() + size);
  }
  cut.lane = contiguous_lanes(cut.tiles(), lanes);
  return cut;
}

void check_plan(const Plan& p, const Classes& c) {
  for (const auto& [name, cut] : p.numerics.cuts) check_cut(name, cut, c);
  for (const auto& [name, spread] : p.placement.spread) check_spread(name, spread, p, c);
  for (const GridAxis& axis : p.placement.grid)
    if (axis.size < 1) throw Error(Exit::usage, "plan: a grid axis has size " + std::to_string(axis.size));
  for (int r : p.placement.stage_rank)
    if (r < 0) throw Error(Exit::usage, "plan: a stage lies on rank block " + std::to_string(r));
}

}  // namespace pleiad
