#include <algorithm>
#include <map>

#include "codelets/ops/add.hpp"
#include "codelets/ops/fill.hpp"
#include "codelets/ops/retile.hpp"
#include "graph/order.hpp"
#include "graph/tiling.hpp"

namespace pleiad {
namespace {

/// Who contributes to one tile.
struct Contributions {
  std::vector<int> lanes;      // sorted, each once
  std::map<int, int> partial;  // lane -> its buffer, if there are several lanes
  std::vector<int> written;    // lanes that some task emitted so far has written
};

class Lowering {
 public:
  Lowering(const Graph& g, const Classes& c, const Plan& p)
      : graph_(g), plan_(p), tiling_(g, c, p), last_writer_(g.tensors.size(), -1) {}
  TaskGraph run(std::span<const Sym> keep);

 private:
  void make_tiles(std::span<const Sym> keep);
  void collect();
  void collect(const Node&);
  void collect_retile(const Node&);
  void emit(int node);
  void emit_retile(int node);
  void finish(int node, const std::vector<Sym>& outputs);
  void merge_lanes(int node, const std::vector<Sym>& outputs, int tile);
  std::vector<int> merge(int node, const std::vector<int>& a, const std::vector<int>& b, std::vector<int> into);
  void fill_with_zero(int node, int buffer);
  void give_partials_owners();

  int tile_buffer(Sym s, int number) const { return at(at(tasks_.tiles, s.id), number); }
  bool empty(const Node&, const Coordinates&) const;
  Arg output(int buffer, int lane);
  int new_buffer(const Buffer&);
  void add(int node, const Op&, int signature, int attrs, std::vector<Arg>, Task);
  int add_signature(const Op&, const Attrs&, const std::vector<Shape>& inputs);

  const Graph& graph_;
  const Plan& plan_;
  const Tiling tiling_;
  TaskGraph tasks_;
  std::vector<Contributions> into_;  // by buffer of a tile
  std::vector<int> last_writer_;     // by tensor: the last node that contributes to it
  std::map<std::pair<const Op*, std::string>, int> extra_signatures_;  // of merges and fills, by notation and rank
};

int Lowering::new_buffer(const Buffer& b) {
  tasks_.buffers.push_back(b);
  return count(tasks_.buffers) - 1;
}

void Lowering::make_tiles(std::span<const Sym> keep) {
  for (int t = 0; t < count(graph_.tensors); ++t) {
    auto& tiles = tasks_.tiles.emplace_back();
    each_point(tiling_.grid(tiling_.classes(Sym{t})),
               [&](const Coordinates& point) { tiles.push_back(new_buffer(tiling_.tile({t}, point))); });
  }
  for (Sym s : keep)
    for (int b : at(tasks_.tiles, s.id)) at(tasks_.buffers, b).keep = true;
  into_.resize(tasks_.buffers.size());
  for (const Node& n : graph_.nodes) {
    tasks_.signatures.push_back(n.signature);
    tasks_.attrs.push_back(n.attrs);
  }
}

bool Lowering::empty(const Node& n, const Coordinates& point) const {
  if (!n.op->empty) return false;
  std::vector<Tile> tiles;
  for (std::size_t i = 0; i < n.args.size(); ++i) {
    const Buffer& b = at(tasks_.buffers, tile_buffer(n.args[i], tiling_.tile_number(n, i, point)));
    tiles.push_back({.shape = b.shape, .origin = b.origin, .whole = b.whole, .dtype = b.dtype});
  }
  return n.op->empty(tiles, n.attrs);
}

void Lowering::collect() {
  for (int i = 0; i < count(graph_.nodes); ++i) {
    const Node& n = at(graph_.nodes, i);
    for (std::size_t o = n.signature.inputs(); o < n.args.size(); ++o) at(last_writer_, n.args[o].id) = i;
    if (n.op == &retile)
      for (int b : at(tasks_.tiles, n.args[1].id)) at(into_, b).lanes.push_back(0);
    else
      collect(n);
  }
  for (Contributions& c : into_) {
    std::sort(c.lanes.begin(), c.lanes.end());
    c.lanes.erase(std::unique(c.lanes.begin(), c.lanes.end()), c.lanes.end());
  }
}

void Lowering::collect(const Node& n) {
  const auto classes = tiling_.classes(n);
  each_point(tiling_.grid(classes), [&](const Coordinates& point) {
    if (empty(n, point)) return;
    for (std::size_t o = n.signature.inputs(); o < n.args.size(); ++o)
      at(into_, tile_buffer(n.args[o], tiling_.tile_number(n, o, point)))
          .lanes.push_back(tiling_.lane(n, o, classes, point));
  });
}

/// Where a contribution in this lane goes: straight into the tile if there is one lane only, else into a partial sum.
/// The first contribution overwrites.
Arg Lowering::output(int tile, int lane) {
  Contributions& c = at(into_, tile);
  int buffer = tile;
  if (c.lanes.size() > 1) {
    const auto [it, is_new] = c.partial.emplace(lane, -1);
    if (is_new) {
      Buffer partial = at(tasks_.buffers, tile);
      partial.lane = lane;
      partial.keep = false;
      it->second = new_buffer(partial);
    }
    buffer = it->second;
  }
  const bool first = std::find(c.written.begin(), c.written.end(), lane) == c.written.end();
  if (first) c.written.push_back(lane);
  return {.buffer = buffer, .access = first ? Access::write : Access::update, .accumulate = !first};
}

void Lowering::add(int node, const Op& op, int signature, int attrs, std::vector<Arg> args, Task task) {
  KernelCall call{.op = &op, .node = node, .signature = signature, .attrs = attrs, .args = std::move(args)};
  call.impl = implementation_of(tasks_, call, plan_.numerics);
  call.cost = cost_of(op, tasks_.signature_of(call), tiles_of(tasks_, call));
  task.calls.push_back(std::move(call));
  tasks_.tasks.push_back(std::move(task));
}

void Lowering::emit(int i) {
  const Node& n = at(graph_.nodes, i);
  const auto classes = tiling_.classes(n);
  each_point(tiling_.grid(classes), [&](const Coordinates& point) {
    if (empty(n, point)) return;
    const auto place = tiling_.place(n.stage, {}, classes, point);
    Task task{.calls = {}, .rank = place.rank, .shard = tiling_.shard(classes, point)};
    std::vector<Arg> args;
    int written = -1;
    for (std::size_t o = 0; o < n.args.size(); ++o) {
      const OperandAxes& operand = n.signature.operands[o];
      const int tile = tile_buffer(n.args[o], tiling_.tile_number(n, o, point));
      const int lane = operand.output ? tiling_.lane(n, o, classes, point) : 0;
      task.lane = std::max(task.lane, lane);
      args.push_back(operand.output ? output(tile, lane) : Arg{tile, operand.update ? Access::update : Access::read});
      if (args.back().access != Access::read && written < 0) written = args.back().buffer;
    }
    if (!place.complete && written >= 0) task.rank = at(tasks_.buffers, written).owner;
    add(i, *n.op, i, i, std::move(args), std::move(task));
  });
}

bool overlap(const Buffer& a, const Buffer& b) {
  for (std::size_t d = 0; d < a.shape.rank(); ++d)
    if (a.origin[d] >= b.origin[d] + b.shape[d] || b.origin[d] >= a.origin[d] + a.shape[d]) return false;
  return true;
}

/// One copy for each overlapping pair of tiles. Copies leave the rest of the target alone, so later ones overwrite
/// their part too, unless another node has contributed before.
void Lowering::emit_retile(int i) {
  const Node& n = at(graph_.nodes, i);
  for (int to : at(tasks_.tiles, n.args[1].id)) {
    const bool adds = !at(into_, to).written.empty();
    for (int from : at(tasks_.tiles, n.args[0].id)) {
      if (!overlap(at(tasks_.buffers, from), at(tasks_.buffers, to))) continue;
      Arg target = output(to, 0);
      target.accumulate = adds;
      add(i, *n.op, i, i, {{from, Access::read}, target}, {.calls = {}, .rank = at(tasks_.buffers, to).owner});
    }
  }
}

/// After the last contribution to these outputs of a node: merges lanes and fills tiles that nothing contributes to.
void Lowering::finish(int node, const std::vector<Sym>& outputs) {
  const auto& tiles = at(tasks_.tiles, outputs[0].id);
  for (int j = 0; j < count(tiles); ++j) {
    const auto lanes = at(into_, at(tiles, j)).lanes.size();
    if (lanes > 1) merge_lanes(node, outputs, j);
    if (lanes == 0)
      for (Sym s : outputs) fill_with_zero(node, tile_buffer(s, j));
  }
}

/// A fixed binary tree over the lanes of a tile, of all outputs jointly; its last step writes the tile itself.
void Lowering::merge_lanes(int node, const std::vector<Sym>& outputs, int number) {
  std::vector<int> tiles;
  for (Sym s : outputs) tiles.push_back(tile_buffer(s, number));
  std::vector<std::vector<int>> level;  // one entry a lane: its partial of each output
  for (int lane : at(into_, tiles[0]).lanes) {
    level.emplace_back();
    for (int tile : tiles) level.back().push_back(at(into_, tile).partial.at(lane));
  }
  while (level.size() > 1) {
    std::vector<std::vector<int>> next;
    for (std::size_t i = 0; i + 1 < level.size(); i += 2)
      next.push_back(merge(node, level[i], level[i + 1], level.size() == 2 ? tiles : std::vector<int>()));
    if (level.size() % 2) next.push_back(level.back());
    level = std::move(next);
  }
}

/// Appends the merge of two sides into the given buffers, or into new partial sums; returns where the results are.
std::vector<int> Lowering::merge(int node, const std::vector<int>& a, const std::vector<int>& b,
                                 std::vector<int> into) {
  const Op* combine = at(graph_.nodes, node).op->combine;
  const Op& op = combine ? *combine : pleiad::add;
  std::vector<Arg> args;
  std::vector<Shape> shapes;
  for (const auto* side : {&a, &b})
    for (int buffer : *side) {
      args.push_back({buffer, Access::read});
      shapes.push_back(at(tasks_.buffers, buffer).shape);
    }
  if (into.empty())
    for (int buffer : a) into.push_back(new_buffer(Buffer(at(tasks_.buffers, buffer))));
  for (int buffer : into) args.push_back({buffer, Access::write});
  const Task task{.calls = {}, .rank = at(tasks_.buffers, into[0]).owner, .lane = at(tasks_.buffers, a[0]).lane};
  const int signature = add_signature(op, {}, shapes);
  add(node, op, signature, signature, std::move(args), task);
  return into;
}

int Lowering::add_signature(const Op& op, const Attrs& attrs, const std::vector<Shape>& inputs) {
  std::string key(op.notation(attrs));
  for (const Shape& s : inputs) key.append(" ").append(std::to_string(s.rank()));
  const auto [it, is_new] = extra_signatures_.emplace(std::pair{&op, key}, count(tasks_.signatures));
  if (is_new) {
    tasks_.signatures.push_back(signature_of(op, attrs, inputs));
    tasks_.attrs.push_back(attrs);
  }
  return it->second;
}

void Lowering::fill_with_zero(int node, int buffer) {
  const Attrs zero = fill_attrs(0, at(tasks_.buffers, buffer).shape);
  const int signature = count(tasks_.signatures);
  tasks_.signatures.push_back(signature_of(fill, zero, {}));
  tasks_.attrs.push_back(zero);
  add(node, fill, signature, signature, {{buffer, Access::write}},
      {.calls = {}, .rank = at(tasks_.buffers, buffer).owner});
}

/// A partial sum lives where the first task that touches it runs.
void Lowering::give_partials_owners() {
  std::vector<bool> owned(tasks_.buffers.size());
  for (std::size_t tile = 0; tile < into_.size(); ++tile) owned[tile] = true;
  for (const Task& t : tasks_.tasks)
    for (const Arg& a : t.calls[0].args) {
      const auto b = static_cast<std::size_t>(a.buffer);
      if (owned[b]) continue;
      owned[b] = true;
      tasks_.buffers[b].owner = t.rank;
    }
}

TaskGraph Lowering::run(std::span<const Sym> keep) {
  make_tiles(keep);
  collect();
  for (int i = 0; i < count(graph_.nodes); ++i) {
    const Node& n = at(graph_.nodes, i);
    if (n.op == &retile)
      emit_retile(i);
    else
      emit(i);
    std::vector<Sym> done;
    for (std::size_t o = n.signature.inputs(); o < n.args.size(); ++o)
      if (at(last_writer_, n.args[o].id) == i) done.push_back(n.args[o]);
    const bool jointly = n.op->combine && done.size() > 1;
    if (jointly) finish(i, done);
    if (!jointly)
      for (Sym s : done) finish(i, {s});
  }
  give_partials_owners();
  order_depth_first(tasks_);
  set_liveness(tasks_);
  return std::move(tasks_);
}

}  // namespace

TaskGraph lower(const Graph& g, const Classes& c, const Plan& p, std::span<const Sym> keep) {
  check_plan(p, c);
  return Lowering(g, c, p).run(keep);
}

}  // namespace pleiad
