#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expect_error.hpp"
#include "training.hpp"

#include "codelets/ops/add.hpp"

namespace pleiad {
namespace {

using namespace pleiad::testing;
using ::testing::HasSubstr;

/// Element by element, through the number of each element in the logical tensor.
std::vector<std::byte> slow_copy(const Buffer& b, const std::vector<std::byte>& logical) {
  const Tile t{.shape = b.shape, .origin = b.origin, .whole = b.whole, .dtype = b.dtype};
  const std::size_t size = size_of(b.dtype);
  std::vector<std::byte> tile(b.bytes());
  for (Index i = 0; i < b.shape.volume(); ++i)
    std::memcpy(tile.data() + static_cast<std::size_t>(i) * size,
                logical.data() + static_cast<std::size_t>(global_index(t, i)) * size, size);
  return tile;
}

TEST(TileCopy, EqualsACopyOfEveryElement) {
  std::mt19937 random(6);
  for (int trial = 0; trial < 300; ++trial) {
    Buffer b{.tensor = {}, .shape = {}, .origin = {}, .whole = {}, .dtype = static_cast<DType>(random() % 4)};
    for (int rank = random_below(random, 5); rank > 0; --rank) {
      const Index whole = 1 + random_below(random, 5), extent = random() % 2 ? whole : 1 + random_below(random, whole);
      b.whole.push_back(whole);
      b.shape.push_back(extent);
      b.origin.push_back(random_below(random, whole - extent + 1));
    }
    std::vector<std::byte> logical(static_cast<std::size_t>(b.whole.volume()) * size_of(b.dtype));
    for (std::byte& x : logical) x = static_cast<std::byte>(random());
    std::vector<std::byte> tile(b.bytes());
    copy_to_tile(b, logical, tile.data());
    EXPECT_EQ(tile, slow_copy(b, logical));

    auto copied = logical;
    std::vector<std::byte> inverted = tile;
    for (std::byte& x : inverted) x = ~x;
    copy_from_tile(b, inverted.data(), copied);
    EXPECT_EQ(slow_copy(b, copied), inverted);
    copy_from_tile(b, tile.data(), copied);
    EXPECT_EQ(copied, logical);  // nothing outside the tile changed
  }
}

struct Sum {
  Graph g;
  Sym x = g.tensor("x", {{"n", 4}}, Kind::input, DType::f64);
  Sym y = g.one(add, {x, x});
};

TEST(SequentialExecutor, RefusesWrongSizesAndTensorsThatDoNotOutliveTheStep) {
  Sum s;
  SequentialExecutor e(s.g, lower(s.g, unify(s.g), {}));
  std::vector<std::byte> bytes(32), few(8);
  EXPECT_THAT(message_of(Exit::internal, [&] { e.write(s.x, few); }), HasSubstr("x: 8 bytes given, 32 needed"));
  EXPECT_THAT(message_of(Exit::internal, [&] { e.read(s.y, bytes); }), HasSubstr("add does not outlive the step"));
}

TEST(SequentialExecutor, ReadsWhatWasWritten) {
  Sum s;
  Plan p;
  p.numerics.cuts["n"] = cut_of_sizes({3, 1}, 1);
  SequentialExecutor e(s.g, lower(s.g, unify(s.g), p, std::vector<Sym>{s.y}));
  e.write(s.x, to_bytes({1, 2, 3, 4}, DType::f64));
  e.step({});
  EXPECT_THAT(read(e, s.g, s.x), ::testing::ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(read(e, s.g, s.y), ::testing::ElementsAre(2, 4, 6, 8));
}

TEST(RecordingExecutor, NotesEveryCallInOrder) {
  Sum s;
  RecordingExecutor e(s.g, lower(s.g, unify(s.g), {}, std::vector<Sym>{s.y}));
  std::vector<std::byte> bytes(32, std::byte{1});
  e.write(s.x, bytes);
  e.step({.number = 3});
  e.read(s.y, bytes);
  EXPECT_THAT(e.lines(), ::testing::ElementsAre("write x 32 bytes", "step 3", "add x x =add", "read add 32 bytes"));
  EXPECT_EQ(bytes, std::vector<std::byte>(32));
}

TEST(Text, OfATaskGraphHasALineForEachTask) {
  Sum s;
  Plan p;
  p.numerics.cuts["n"] = even_cut(4, 2, 1);
  EXPECT_EQ(to_text(s.g, lower(s.g, unify(s.g), p)),
            "0 lane 0 rank 0: add x[0:2] x[0:2] =add[0:2]\n1 lane 0 rank 0: add x[2:4] x[2:4] =add[2:4]\n");
}

}  // namespace
}  // namespace pleiad
