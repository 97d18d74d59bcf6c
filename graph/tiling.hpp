#pragma once
#include "graph/index.hpp"
#include "graph/task_graph.hpp"

namespace pleiad {

/// Tile numbers along the axes of an iteration space or the dims of a tensor.
using Coordinates = std::vector<int>;

/// f(coordinates) for every point of a grid, row-major; once, with none, if the grid has no dimension.
template <class F>
void each_point(const std::vector<int>& extents, F f) {
  Coordinates point(extents.size());
  for (;;) {
    f(point);
    std::size_t d = extents.size();
    while (d > 0 && ++point[d - 1] == extents[d - 1]) point[--d] = 0;
    if (d == 0) return;
  }
}

/// A plan applied to the classes of a graph: which tiles there are, and on which rank and in which lane they lie.
class Tiling {
 public:
  Tiling(const Graph&, const Classes&, const Plan&);

  const std::vector<int>& classes(Sym s) const { return at(classes_.of, s.id); }
  /// Class of each axis of a node's iteration space.
  std::vector<int> classes(const Node&) const;
  /// Number of tiles along each class.
  std::vector<int> grid(const std::vector<int>& classes) const;
  /// Row-major number of the tile of operand `i` that the node uses at this point of its iteration space.
  int tile_number(const Node&, std::size_t i, const Coordinates&) const;
  /// The tile of a tensor, with its owner.
  Buffer tile(Sym, const Coordinates&) const;
  /// Lane of a contribution to operand `i`: the lanes of its tile along every reduced axis, as one number.
  int lane(const Node&, std::size_t i, const std::vector<int>& classes, const Coordinates&) const;
  /// Number of the point along the classes that no parameter has (batch, tokens); -1 if it has none of them.
  int shard(const std::vector<int>& classes, const Coordinates&) const;

  struct Place {
    int rank = 0;
    bool complete = true;  // the point has a coordinate on every grid axis
  };
  Place place(int stage, Sym family, const std::vector<int>& classes, const Coordinates&) const;

 private:
  struct ClassPlan {
    Cut cut;
    int lanes = 1;
    int grid_axis = -1;
    std::vector<int> coordinate;
    bool of_parameter = false;
  };
  void plan_classes(const Plan&);
  void spread_families();
  int without_coordinate(std::size_t grid_axis, Sym family, const Coordinates&) const;

  const Graph& graph_;
  const Classes& classes_;
  const Placement& placement_;
  std::vector<ClassPlan> plan_;              // by class
  std::vector<std::vector<int>> family_at_;  // by grid axis, by tensor: coordinate of a parameter's family
};

}  // namespace pleiad
