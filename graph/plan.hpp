#pragma once
#include <map>
#include <string>
#include <vector>

#include "graph/graph.hpp"

namespace pleiad {

/// How one class is cut and in which lane contributions that are reduced over each of its tiles are summed.
struct Cut {
  std::vector<Index> bounds;  // 0 = first, extent = last, increasing
  std::vector<int> lane;      // one a tile

  std::size_t tiles() const { return bounds.size() - 1; }
  friend bool operator==(const Cut&, const Cut&) = default;
};

/// Everything that results depend on.
struct Numerics {
  std::map<std::string, Cut> cuts;                     // by class name; a class not listed is one tile in lane 0
  std::map<std::string, std::string> implementations;  // by kernel_key, or by op name for all shapes -> Impl::name
  friend bool operator==(const Numerics&, const Numerics&) = default;
};

/// One dimension of the grid of ranks; `absent`: where tiles without a coordinate on it lie.
struct GridAxis {
  enum class Absent : std::uint8_t { first, by_family, by_tile };
  int size = 1;
  Absent absent = Absent::first;
  friend bool operator==(const GridAxis&, const GridAxis&) = default;
};
/// The grid axis along which a class is spread, and the grid coordinate of each of its tiles.
struct Spread {
  int grid_axis = 0;
  std::vector<int> coordinate;
  friend bool operator==(const Spread&, const Spread&) = default;
};

/// Everything that only decides where and when things run.
struct Placement {
  std::vector<GridAxis> grid;            // empty: one rank
  std::map<std::string, Spread> spread;  // by class name
  std::vector<int> stage_rank;           // rank block of each pipeline stage; empty: all on the first
  double grain_us = 0;                   // tasks predicted shorter are fused with their neighbours; 0: never
  friend bool operator==(const Placement&, const Placement&) = default;
};

struct Plan {
  Numerics numerics;
  Placement placement;
  friend bool operator==(const Plan&, const Plan&) = default;
};

/// n tiles as equal as possible (sizes differ by at most one), dealt to `lanes` lanes in contiguous runs.
Cut even_cut(Index extent, Index n, int lanes);
/// Tiles of the given sizes.
Cut cut_of_sizes(const std::vector<Index>& sizes, int lanes);

/// JSON with every field by name; parse throws Error (Exit::data) naming the field.
std::string to_json(const Plan&);
Plan plan_from_json(std::string_view text);
/// Throws Error (Exit::usage) naming the class if a plan cuts a whole axis, names an unknown class or has bad bounds.
void check_plan(const Plan&, const Classes&);

}  // namespace pleiad
