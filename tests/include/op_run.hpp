#pragma once
#include <map>
#include <random>

#include "codelets/op.hpp"
#include "codelets/ops/add.hpp"
#include "gpu_run.hpp"
#include "values.hpp"

// Runs one op alone: whole, or cut into tiles and lanes.

namespace pleiad::testing {

inline constexpr Step kStep{.number = 3, .lr = 0.01, .seed = 42};

inline double draw(Domain domain, DType dtype, std::mt19937& random) {
  if (dtype == DType::i32) return static_cast<double>(random() % 4) + (domain == Domain::positive ? 1 : -1);
  if (domain == Domain::positive) return std::uniform_real_distribution<>(0.5, 2)(random);
  const double x = std::normal_distribution<>()(random);
  return domain == Domain::separated ? x + std::copysign(0.1, x) : x;
}

inline void derive(const Sample& sample, std::vector<Values>& inputs) {
  if (!sample.derive) return;
  std::vector<Tile> tiles;
  for (std::size_t i = 0; i < sample.inputs.size(); ++i) tiles.push_back(inputs[i].tile());
  sample.derive(tiles);
}

/// Inputs of a sample for a call that computes in `compute`.
inline std::vector<Values> sample_inputs(const Op& op, const Sample& sample, DType compute, unsigned seed = 7) {
  std::mt19937 random(seed);
  std::vector<Values> values;
  for (std::size_t i = 0; i < sample.inputs.size(); ++i) {
    const Domain domain = i < sample.domains.size() ? sample.domains[i] : Domain::normal;
    Values v(element_type(op, sample.attrs, i, compute), sample.inputs[i]);
    for (Index e = 0; e < v.size(); ++e) v.set(e, draw(domain, v.dtype(), random));
    values.push_back(std::move(v));
  }
  derive(sample, values);
  return values;
}

inline std::vector<Shape> shapes_of(const std::vector<Values>& values) {
  std::vector<Shape> shapes;
  for (const Values& v : values) shapes.push_back(v.shape());
  return shapes;
}

/// A call of an op on logical tensors: operands hold the inputs, then poisoned outputs.
struct Problem {
  const Op& op;
  Attrs attrs;
  Signature signature;
  std::vector<Values> operands;

  Problem(const Op& o, const Attrs& a, std::vector<Values> inputs, DType compute)
      : op(o), attrs(a), signature(signature_of(o, a, shapes_of(inputs))), operands(std::move(inputs)) {
    const auto shapes = shapes_of(operands);
    for (std::size_t i = shapes.size(); i < signature.operands.size(); ++i) {
      operands.emplace_back(element_type(op, attrs, i, compute), output_shape(op, attrs, signature, shapes, i));
      operands.back().poison();
    }
  }
  std::size_t inputs() const { return signature.inputs(); }
  std::vector<Tile> tiles() {
    std::vector<Tile> all;
    for (Values& v : operands) all.push_back(v.tile());
    return all;
  }
  bool written(std::size_t i) const { return signature.operands[i].output || signature.operands[i].update; }
};

inline Problem sample_problem(const Op& op, const Sample& sample, DType compute, unsigned seed = 7) {
  return {op, sample.attrs, sample_inputs(op, sample, compute, seed), compute};
}

/// True if the implementation may run these tiles.
inline bool fits(const Problem& p, const Impl& impl, std::vector<Tile> tiles) {
  if (impl.device == Device::gpu && !test_gpu()) return false;
  for (Tile& t : tiles) t.data = nullptr;
  return !impl.fits || impl.fits({.tiles = tiles, .attrs = p.attrs, .signature = p.signature, .step = kStep});
}

inline const Impl& reference(const Op& op) { return op.implementations().back(); }

/// Runs the call in one tile.
inline void run_whole(Problem& p, const Impl& impl, const Step& step = kStep) {
  const auto tiles = p.tiles();
  execute(impl, {.tiles = tiles, .attrs = p.attrs, .signature = p.signature, .step = step});
}

/// Boundaries and the lanes of the tiles of one axis.
struct AxisCut {
  std::vector<Index> bounds;
  std::vector<std::size_t> lane;
};
using Cuts = std::map<char, AxisCut>;

/// Every axis that may be cut, cut at random.
inline Cuts random_cuts(Problem& p, std::size_t lanes, std::mt19937& random) {
  Cuts cuts;
  const auto tiles = p.tiles();
  for (char axis : p.signature.axes) {
    const Index extent = axis_extent(axis, p.signature, tiles);
    std::vector<Index> bounds{0, extent};
    for (int i = 0; i < 3 && !Signature::whole(axis); ++i)
      bounds.push_back(static_cast<Index>(random()) % (extent + 1));
    std::sort(bounds.begin(), bounds.end());
    bounds.erase(std::unique(bounds.begin(), bounds.end()), bounds.end());
    AxisCut& cut = cuts[axis] = {bounds, {}};
    for (std::size_t t = 0; t + 1 < bounds.size(); ++t) cut.lane.push_back(random() % lanes);
  }
  return cuts;
}

/// The same call cut into tiles: contributions to an output tile are accumulated lane by lane in order of the iteration
/// space, and lanes are merged from left to right by `combine` or add.
class TiledRun {
 public:
  TiledRun(Problem& problem, const Impl& impl, const Cuts& cuts, std::size_t lanes)
      : p_(problem), impl_(impl), cuts_(cuts), lanes_(lanes), partial_(problem.operands.size()) {}

  void run() {
    if (p_.op.empty) clear_outputs();
    for (Position at = first(); run_at(at), next(at);) continue;
    if (p_.op.combine) merge_jointly();
    for (std::size_t i = p_.inputs(); i < p_.operands.size(); ++i)
      for (auto& [origin, lanes] : partial_[i]) put_back(p_.operands[i], shape_from(origin), merged(lanes));
  }

 private:
  using Position = std::map<char, std::size_t>;  // number of the tile along each axis
  using Lanes = std::vector<std::optional<Values>>;
  struct Box {
    Shape origin, shape;
  };

  static Shape shape_from(const std::vector<Index>& v) {
    Shape s;
    for (Index e : v) s.push_back(e);
    return s;
  }
  Position first() const {
    Position at;
    for (char a : p_.signature.axes) at[a] = 0;
    return at;
  }
  bool next(Position& at) const {
    for (std::size_t d = p_.signature.axes.size(); d-- > 0;) {
      const char axis = p_.signature.axes[d];
      if (++at[axis] + 1 < cuts_.at(axis).bounds.size()) return true;
      at[axis] = 0;
    }
    return false;
  }
  Box box_of(std::size_t operand, const Position& at) const {
    Box box;
    for (char axis : p_.signature.operands[operand].axes) {
      const auto& bounds = cuts_.at(axis).bounds;
      box.origin.push_back(bounds[at.at(axis)]);
      box.shape.push_back(bounds[at.at(axis) + 1] - bounds[at.at(axis)]);
    }
    return box;
  }
  std::size_t lane_of(std::size_t operand, const Position& at) const {
    std::size_t lane = 0;
    for (char axis : p_.signature.reduced(operand))
      if (!Signature::whole(axis)) lane += cuts_.at(axis).lane[at.at(axis)];
    return lane % lanes_;
  }

  void run_at(const Position& at) {
    std::vector<Values> inputs;
    std::vector<Tile> tiles;
    std::vector<Box> boxes;
    for (std::size_t i = 0; i < p_.operands.size(); ++i) boxes.push_back(box_of(i, at));
    if (skipped(boxes)) return;
    for (std::size_t i = 0; i < p_.inputs(); ++i)
      inputs.push_back(cut_out(p_.operands[i], boxes[i].origin, boxes[i].shape));
    for (std::size_t i = 0; i < p_.inputs(); ++i)
      tiles.push_back(inputs[i].tile_of(boxes[i].origin, p_.operands[i].shape()));
    for (std::size_t i = p_.inputs(); i < p_.operands.size(); ++i) tiles.push_back(output_tile(i, at, boxes[i]));
    execute(impl_, {.tiles = tiles, .attrs = p_.attrs, .signature = p_.signature, .step = kStep});
    for (std::size_t i = 0; i < p_.inputs(); ++i)
      if (p_.signature.operands[i].update) put_back(p_.operands[i], boxes[i].origin, inputs[i]);
  }

  bool skipped(const std::vector<Box>& boxes) const {
    if (!p_.op.empty) return false;
    std::vector<Tile> tiles;
    for (std::size_t i = 0; i < boxes.size(); ++i)
      tiles.push_back({.shape = boxes[i].shape, .origin = boxes[i].origin, .whole = p_.operands[i].shape()});
    return p_.op.empty(tiles, p_.attrs);
  }

  /// The partial sum that a contribution goes to; poisoned if this is its first.
  Tile output_tile(std::size_t i, const Position& at, const Box& box) {
    Lanes& lanes = lanes_of(i, box);
    auto& sum = lanes[lane_of(i, at)];
    const bool accumulate = sum.has_value();
    if (!accumulate) sum.emplace(p_.operands[i].dtype(), box.shape).poison();
    Tile t = sum->tile_of(box.origin, p_.operands[i].shape());
    t.accumulate = accumulate;
    return t;
  }
  Lanes& lanes_of(std::size_t i, const Box& box) {
    Lanes& lanes = partial_[i][{box.origin.begin(), box.origin.end()}];
    lanes.resize(lanes_);
    return lanes;
  }
  /// Zeros, which stay where all contributions are empty.
  void clear_outputs() {
    for (std::size_t i = p_.inputs(); i < p_.operands.size(); ++i)
      p_.operands[i] = Values(p_.operands[i].dtype(), p_.operands[i].shape());
  }

  /// First and second input of `op`, merged by its reference.
  static std::vector<Values> merge(const Op& op, std::vector<Values> sides, DType compute) {
    Problem p(op, {}, std::move(sides), compute);
    run_whole(p, reference(op));
    return {p.operands.begin() + static_cast<std::ptrdiff_t>(p.inputs()), p.operands.end()};
  }
  static Values merged(Lanes& lanes) {
    std::optional<Values> sum;
    for (auto& lane : lanes) {
      if (!lane) continue;
      if (sum)
        sum.emplace(merge(add, {*sum, *lane}, lane->dtype())[0]);
      else
        sum = std::move(lane);
    }
    return *sum;
  }
  /// Merges all outputs of an op by its `combine`, into lane 0.
  void merge_jointly() {
    const std::size_t begin = p_.inputs(), end = p_.operands.size();
    for (auto& [origin, ignored] : partial_[begin]) {
      std::vector<Values> sum;
      for (std::size_t lane = 0; lane < lanes_; ++lane) {
        if (!partial_[begin].at(origin)[lane]) continue;
        std::vector<Values> sides = sum;
        for (std::size_t i = begin; i < end; ++i) sides.push_back(*partial_[i].at(origin_in(i, origin))[lane]);
        sum = sum.empty() ? sides : merge(*p_.op.combine, sides, sides[0].dtype());
      }
      for (std::size_t i = begin; i < end; ++i) partial_[i].at(origin_in(i, origin)).assign(1, sum[i - begin]);
    }
  }
  /// Where the tile of output i begins that goes with the tile of the first output at `origin`.
  std::vector<Index> origin_in(std::size_t i, const std::vector<Index>& origin) const {
    const std::string &first = p_.signature.operands[p_.inputs()].axes, &axes = p_.signature.operands[i].axes;
    std::vector<Index> at;
    for (char axis : axes) {
      const auto d = first.find(axis);
      at.push_back(d == first.npos ? 0 : origin[d]);
    }
    return at;
  }

  Problem& p_;
  const Impl& impl_;
  const Cuts& cuts_;
  std::size_t lanes_;
  std::vector<std::map<std::vector<Index>, Lanes>> partial_;  // [operand][origin][lane]
};

}  // namespace pleiad::testing
