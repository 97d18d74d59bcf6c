#include "graph/tiling.hpp"

#include <algorithm>

namespace pleiad {

Tiling::Tiling(const Graph& g, const Classes& c, const Plan& p) : graph_(g), classes_(c), placement_(p.placement) {
  plan_classes(p);
  spread_families();
}

void Tiling::plan_classes(const Plan& p) {
  for (std::size_t k = 0; k < classes_.size(); ++k) {
    ClassPlan plan{.cut = {{0, classes_.extent[k]}, {0}}, .coordinate = {}};
    if (const auto cut = p.numerics.cuts.find(classes_.name[k]); cut != p.numerics.cuts.end()) plan.cut = cut->second;
    plan.lanes = 1 + *std::max_element(plan.cut.lane.begin(), plan.cut.lane.end());
    if (const auto s = p.placement.spread.find(classes_.name[k]); s != p.placement.spread.end()) {
      plan.grid_axis = s->second.grid_axis;
      plan.coordinate = s->second.coordinate;
    }
    plan_.push_back(std::move(plan));
  }
  for (std::size_t t = 0; t < graph_.tensors.size(); ++t)
    if (graph_.tensors[t].kind == Kind::param)
      for (int k : classes_.of[t]) at(plan_, k).of_parameter = true;
}

/// Each family goes to the coordinate that holds the fewest bytes of families so far.
void Tiling::spread_families() {
  for (const GridAxis& axis : placement_.grid) {
    std::vector<std::size_t> held(static_cast<std::size_t>(axis.size));
    auto& coordinate = family_at_.emplace_back(graph_.tensors.size(), 0);
    for (std::size_t t = 0; t < graph_.tensors.size(); ++t) {
      const Tensor& tensor = graph_.tensors[t];
      if (tensor.kind != Kind::param) continue;
      const auto least = std::min_element(held.begin(), held.end());
      *least += static_cast<std::size_t>(tensor.shape.volume()) * size_of(tensor.dtype);
      coordinate[t] = static_cast<int>(least - held.begin());
    }
  }
}

std::vector<int> Tiling::classes(const Node& n) const {
  std::vector<int> all;
  for (char axis : n.signature.axes)
    for (std::size_t i = 0; i < n.args.size(); ++i) {
      const auto d = n.signature.operands[i].axes.find(axis);
      if (d == std::string::npos) continue;
      all.push_back(classes(n.args[i])[d]);
      break;
    }
  return all;
}

std::vector<int> Tiling::grid(const std::vector<int>& classes) const {
  std::vector<int> tiles;
  for (int k : classes) tiles.push_back(static_cast<int>(at(plan_, k).cut.tiles()));
  return tiles;
}

int Tiling::tile_number(const Node& n, std::size_t i, const Coordinates& point) const {
  const std::string& axes = n.signature.operands[i].axes;
  const auto& dims = classes(n.args[i]);
  int number = 0;
  for (std::size_t d = 0; d < axes.size(); ++d)
    number = number * static_cast<int>(at(plan_, dims[d]).cut.tiles()) + point[n.signature.axes.find(axes[d])];
  return number;
}

Buffer Tiling::tile(Sym s, const Coordinates& point) const {
  const Tensor& t = graph_[s];
  Buffer b{.tensor = s, .shape = {}, .origin = {}, .whole = t.shape, .dtype = t.dtype, .keep = t.kind != Kind::temp};
  for (std::size_t d = 0; d < point.size(); ++d) {
    const auto& bounds = at(plan_, classes(s)[d]).cut.bounds;
    b.origin.push_back(at(bounds, point[d]));
    b.shape.push_back(at(bounds, point[d] + 1) - at(bounds, point[d]));
  }
  b.owner = place(t.stage, t.family, classes(s), point).rank;
  return b;
}

int Tiling::lane(const Node& n, std::size_t i, const std::vector<int>& classes, const Coordinates& point) const {
  int lane = 0;
  for (std::size_t d = 0; d < classes.size(); ++d) {
    if (n.signature.operands[i].axes.find(n.signature.axes[d]) != std::string::npos) continue;
    const ClassPlan& k = at(plan_, classes[d]);
    lane = lane * k.lanes + at(k.cut.lane, point[d]);
  }
  return lane;
}

int Tiling::shard(const std::vector<int>& classes, const Coordinates& point) const {
  int number = -1;
  for (std::size_t d = 0; d < classes.size(); ++d) {
    const ClassPlan& k = at(plan_, classes[d]);
    if (!k.of_parameter) number = std::max(number, 0) * static_cast<int>(k.cut.tiles()) + point[d];
  }
  return number;
}

int Tiling::without_coordinate(std::size_t grid_axis, Sym family, const Coordinates& point) const {
  switch (placement_.grid[grid_axis].absent) {
    case GridAxis::Absent::by_family:
      return family.id < 0 ? 0 : at(family_at_[grid_axis], family.id);
    case GridAxis::Absent::by_tile: {
      int sum = 0;
      for (int x : point) sum += x;
      return sum;
    }
    default:
      return 0;
  }
}

Tiling::Place Tiling::place(int stage, Sym family, const std::vector<int>& classes, const Coordinates& point) const {
  const auto& blocks = placement_.stage_rank;
  Place place{.rank = blocks.empty() ? 0 : blocks[static_cast<std::size_t>(stage) % blocks.size()]};
  for (std::size_t axis = 0; axis < placement_.grid.size(); ++axis) {
    int coordinate = -1;
    for (std::size_t d = 0; d < classes.size() && coordinate < 0; ++d)
      if (const ClassPlan& k = at(plan_, classes[d]); k.grid_axis == static_cast<int>(axis))
        coordinate = at(k.coordinate, point[d]);
    if (coordinate < 0) {
      place.complete = false;
      coordinate = without_coordinate(axis, family, point);
    }
    const int size = placement_.grid[axis].size;
    place.rank = place.rank * size + coordinate % size;
  }
  return place;
}

}  // namespace pleiad
