#include "codelets/blas/contraction.hpp"

#include <algorithm>

namespace pleiad {
namespace {

Loop loop_over(char axis, const Signature& s, std::span<const Tile> tiles) {
  Loop l;
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    const auto d = s.operands[i].axes.find(axis);
    if (d == std::string::npos) continue;
    const Shape& shape = tiles[i].shape;
    l.extent = shape[d];
    l.stride[i] = 1;
    for (std::size_t inner = d + 1; inner < shape.rank(); ++inner) l.stride[i] *= shape[inner];
  }
  return l;
}

/// What a loop is to C = A B, by who has its axis.
enum class Role { m, n, k, batch, none };
Role role_of(const Loop& l) {
  const bool a = l.stride[0] != 0, b = l.stride[1] != 0, c = l.stride[2] != 0;
  if (c) return a && b ? Role::batch : a ? Role::m : b ? Role::n : Role::none;
  return a && b ? Role::k : Role::none;
}

constexpr std::size_t kNone = ~std::size_t{0};

/// The longest loop of a role.
std::size_t longest(const Contraction& c, Role role) {
  std::size_t best = kNone;
  const auto loops = c.loops();
  for (std::size_t i = 0; i < loops.size(); ++i)
    if (role_of(loops[i]) == role && (best == kNone || loops[i].extent > loops[best].extent)) best = i;
  return best;
}

/// Takes a loop out of `c`; a loop of one turn if there is none.
Loop take(Contraction& c, std::size_t i) {
  if (i == kNone) return {};
  const Loop l = c.loops()[i];
  c = c.without(i);
  return l;
}

}  // namespace

Contraction::Contraction(const Signature& s, std::span<const Tile> tiles) : inputs_(tiles.size() - 1) {
  const std::string& output = s.operands.back().axes;
  for (char axis : output) append(loop_over(axis, s, tiles));
  for (char axis : s.axes)
    if (output.find(axis) == std::string::npos) append(loop_over(axis, s, tiles));
}

void Contraction::append(const Loop& l) {
  if (l.extent == 1) return;
  if (size_ > 0) {
    Loop& before = loops_[size_ - 1];
    bool alike = true;
    for (std::size_t i = 0; i <= inputs_; ++i) alike = alike && before.stride[i] == l.extent * l.stride[i];
    if (alike) {
      before = {before.extent * l.extent, l.stride};
      return;
    }
  }
  loops_[size_++] = l;
}

Contraction Contraction::without(std::size_t i) const {
  Contraction c = *this;
  std::copy(c.loops_.begin() + static_cast<std::ptrdiff_t>(i) + 1,
            c.loops_.begin() + static_cast<std::ptrdiff_t>(size_), c.loops_.begin() + static_cast<std::ptrdiff_t>(i));
  --c.size_;
  return c;
}

MatrixForm matrix_form(const Contraction& c) {
  MatrixForm f;
  if (c.inputs() != 2) return f;
  const auto loops = c.loops();
  if (std::ranges::any_of(loops, [](const Loop& l) { return role_of(l) == Role::none; })) return f;
  // The contiguous loop of the output gives C its columns: it belongs to B, or to A with the product transposed.
  const auto columns = std::ranges::find_if(loops, [&](const Loop& l) { return c.stride_of_output(l) == 1; });
  if (columns != loops.end() && role_of(*columns) == Role::batch) return f;
  f.swapped = columns != loops.end() && role_of(*columns) == Role::m;
  f.outer = c;
  const Loop n = take(f.outer, columns == loops.end() ? kNone : static_cast<std::size_t>(columns - loops.begin()));
  const Loop m = take(f.outer, longest(f.outer, f.swapped ? Role::n : Role::m));
  const Loop k = take(f.outer, longest(f.outer, Role::k));
  const Loop batch = take(f.outer, longest(f.outer, Role::batch));
  const std::size_t a = f.swapped ? 1 : 0, b = 1 - a;
  f.gemm = {.m = m.extent,
            .n = n.extent,
            .k = k.extent,
            .a_row = m.stride[a],
            .a_col = k.stride[a],
            .b_row = k.stride[b],
            .b_col = n.stride[b],
            .c_row = m.stride[2],
            .batch = batch.extent,
            .a_batch = batch.stride[a],
            .b_batch = batch.stride[b],
            .c_batch = batch.stride[2]};
  f.exists = true;
  return f;
}

}  // namespace pleiad
