#include "codelets/ops/embedding.hpp"
#include "codelets/ops/linear_cross_entropy.hpp"
#include "codelets/ops/rotary.hpp"
#include "codelets/registry.hpp"
#include "expect_outputs.hpp"
#include "reference_data.hpp"

namespace pleiad::testing {
namespace {

/// In every implementation and dtype, plain and accumulating.
void expect_pytorch(const Op& op, const Attrs& attrs, const std::string& name) {
  const auto data = reference_data("transformer.json")[name];
  std::vector<Numbers> inputs;
  for (const auto& input : data["inputs"]) {
    Shape shape;
    for (const auto& extent : input["shape"]) shape.push_back(extent.get<Index>());
    inputs.push_back({shape, input["at"].get<std::vector<double>>()});
  }
  auto outputs = data["outputs"].get<std::vector<std::vector<double>>>();
  if (&op == &linear_cross_entropy_loss) outputs.resize(1);
  expect_outputs(op, attrs, inputs, outputs);
}

TEST(Gated, AgreesWithPyTorch) {
  for (const char* name : {"swiglu", "swiglu_grad", "geglu", "geglu_grad"}) expect_pytorch(*find_op(name), {}, name);
}

TEST(Rotary, AgreesWithPyTorch) {
  expect_pytorch(rotary, Attrs::of(RotaryAttrs{.base = 100}), "rotary");
  expect_pytorch(rotary, Attrs::of(RotaryAttrs{.base = 100, .inverse = true}), "rotary_grad");
}

/// A tile far into a sequence, as where it is exact: a turn by 100000 positions keeps lengths.
TEST(Rotary, IsAccurateFarIntoASequence) {
  for (const Impl& impl : rotary.implementations()) {
    Values x = values_of(normal_numbers({1, 200, 1, 4}, 1), DType::f64), y(DType::f64, x.shape()), back = y;
    const Shape origin{0, 100001, 0, 0}, whole{1, 200000, 1, 4};
    const auto turn = [&](Values& from, Values& to, bool inverse) {
      const std::array tiles{from.tile_of(origin, whole), to.tile_of(origin, whole)};
      const Attrs attrs = Attrs::of(RotaryAttrs{.inverse = inverse});
      const Shape shapes[] = {from.shape()};
      const Signature signature = signature_of(rotary, attrs, shapes);
      execute(impl, {.tiles = tiles, .attrs = attrs, .signature = signature, .step = kStep});
    };
    if (impl.device == Device::gpu) continue;
    turn(x, y, false);
    EXPECT_NEAR(y[0], x[0] * std::cos(100001.0) - x[2] * std::sin(100001.0), 1e-10) << impl.name;
    EXPECT_NEAR(y[4 * 150], x[4 * 150] * std::cos(100151.0) - x[4 * 150 + 2] * std::sin(100151.0), 1e-10) << impl.name;
    turn(y, back, true);
    if (auto d = difference(back, x, 1e-10)) ADD_FAILURE() << impl.name << ": " << *d;
  }
}

TEST(RotaryDeath, OddHeadSizeEndsTheProcess) {
  Problem p = problem_of(rotary, Attrs::of(RotaryAttrs{}), {normal_numbers({1, 2, 3}, 1)}, DType::f32);
  EXPECT_EXIT(run_whole(p, reference(rotary)), ::testing::ExitedWithCode(1), "must be even");
}

TEST(Embedding, AgreesWithPyTorch) {
  expect_pytorch(embedding, {}, "embedding");
  expect_pytorch(embedding_grad, Attrs::of(EmbeddingGradAttrs{.vocabulary = 5}), "embedding_grad");
}

TEST(Embedding, NegativeIdsGiveZeros) {
  expect_outputs(embedding, {}, {{{3}, {-1, 1, -7}}, {{2, 2}, {1, 2, 3, 4}}}, {{0, 0, 3, 4, 0, 0}});
  expect_outputs(embedding_grad, Attrs::of(EmbeddingGradAttrs{.vocabulary = 2}),
                 {{{3}, {-1, 1, -7}}, {{3, 2}, {1, 2, 3, 4, 5, 6}}}, {{0, 0, 3, 4}});
}

TEST(EmbeddingDeath, UnknownIdEndsTheProcess) {
  Problem p = problem_of(embedding, {}, {{{1}, {2}}, {{2, 2}, {1, 2, 3, 4}}}, DType::f32);
  EXPECT_EXIT(run_whole(p, reference(embedding)), ::testing::ExitedWithCode(1), "id 2, but the table has 2 rows");
}

TEST(LinearCrossEntropy, AgreesWithPyTorch) {
  expect_pytorch(linear_cross_entropy, {}, "linear_cross_entropy");
  expect_pytorch(linear_cross_entropy_loss, {}, "linear_cross_entropy");
}

/// Several blocks of rows, the last of them not full.
TEST(LinearCrossEntropy, ManyRowsOfManyClassesAgreeWithTheReference) {
  std::vector<double> ids;
  for (int i = 0; i < 131; ++i) ids.push_back(i % 7 == 3 ? -1 : i * 61);
  const std::vector<Numbers> inputs{
      normal_numbers({131, 2}, 1), normal_numbers({9001, 2}, 2), {{131}, ids}, {{}, {112}}};
  Problem wanted = problem_of(linear_cross_entropy, {}, inputs, DType::f64);
  run_whole(wanted, reference(linear_cross_entropy));
  for (DType t : {DType::f32, DType::f64})
    for (const Impl& impl : linear_cross_entropy.implementations()) {
      Problem p = problem_of(linear_cross_entropy, {}, inputs, t);
      if (!fits(p, impl, p.tiles()) || impl.run == reference(linear_cross_entropy).run) continue;
      run_whole(p, impl);
      if (auto f = differ(p, wanted, tolerance_of(t), impl.name)) ADD_FAILURE() << *f;
    }
}

TEST(LinearCrossEntropy, AllIgnoredIsZeroAndNotNan) {
  const std::vector<Numbers> inputs{normal_numbers({2, 3}, 1), normal_numbers({4, 3}, 2), {{2}, {-1, -1}}, {{}, {0}}};
  expect_outputs(linear_cross_entropy, {}, inputs, {{0}, std::vector<double>(6), std::vector<double>(12)});
}

TEST(LinearCrossEntropyDeath, UnknownClassEndsTheProcess) {
  const std::vector<Numbers> inputs{normal_numbers({1, 3}, 1), normal_numbers({4, 3}, 2), {{1}, {4}}, {{}, {1}}};
  Problem p = problem_of(linear_cross_entropy, {}, inputs, DType::f32);
  EXPECT_EXIT(run_whole(p, reference(linear_cross_entropy)), ::testing::ExitedWithCode(1), "id 4, but there are 4");
}

}  // namespace
}  // namespace pleiad::testing
