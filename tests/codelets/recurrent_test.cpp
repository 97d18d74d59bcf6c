#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codelets/ops/gru.hpp"
#include "codelets/ops/gru_cell.hpp"
#include "codelets/ops/linear.hpp"
#include "codelets/ops/lstm.hpp"
#include "codelets/ops/lstm_cell.hpp"
#include "expect_error.hpp"
#include "op_run.hpp"
#include "reference_data.hpp"

namespace pleiad::testing {
namespace {

using nlohmann::json;

Values shaped(const json& numbers, DType t) {
  Shape shape;
  for (const json& extent : numbers["shape"]) shape.push_back(extent.get<Index>());
  Values v(t, shape);
  for (Index i = 0; i < v.size(); ++i) v.set(i, numbers["values"][static_cast<std::size_t>(i)].get<double>());
  return v;
}

std::vector<Values> inputs_of(const json& c, DType t) {
  std::vector<Values> inputs;
  for (const json& numbers : c["inputs"]) inputs.push_back(shaped(numbers, t));
  return inputs;
}

void expect_as_pytorch(const Op& op, DType t, double tolerance) {
  const json c = reference_data("recurrent.json")[std::string(op.name)];
  for (const Impl& impl : op.implementations()) {
    Problem p(op, {}, inputs_of(c, t), t);
    if (!fits(p, impl, p.tiles())) continue;
    run_whole(p, impl);
    for (std::size_t o = 0; o < c["outputs"].size(); ++o) {
      const auto d = difference(p.operands[p.inputs() + o], shaped(c["outputs"][o], DType::f64), tolerance);
      EXPECT_FALSE(d) << op.name << " " << impl.name << " " << name_of(t) << " output " << o << ": " << *d;
    }
  }
}

TEST(Recurrent, AgreesWithPyTorch) {
  for (const Op* op : {&lstm, &gru}) {
    expect_as_pytorch(*op, DType::f64, 1e-14);
    expect_as_pytorch(*op, DType::f32, 1e-6);
    expect_as_pytorch(*op, DType::bf16, 0.02);
  }
}

/// x w^T + b
Values product(const Values& x, const Values& w, const Values& b) {
  Problem p(linear, Attrs::of(LinearAttrs{}, "bI,oI,o->bo"), {x, w, b}, DType::f64);
  run_whole(p, reference(linear));
  return p.operands[3];
}

Values without_time(const Values& x, Index t) {
  Values step(DType::f64, {x.shape()[0], x.shape()[2]});
  const Values cut = cut_out(x, {0, t, 0}, {x.shape()[0], 1, x.shape()[2]});
  for (Index i = 0; i < step.size(); ++i) step.set(i, cut[i]);
  return step;
}

/// The cell op step by step gives the states of the whole-sequence op.
void expect_steps_give_the_sequence(const Op& cell, const Op& sequence) {
  const json c = reference_data("recurrent.json")[std::string(sequence.name)];
  const auto in = inputs_of(c, DType::f64);
  std::vector<Values> states(in.begin() + 5, in.end());
  for (Index t = 0; t < in[0].shape()[1]; ++t) {
    std::vector<Values> inputs{product(without_time(in[0], t), in[1], in[3]), product(states[0], in[2], in[4])};
    inputs.push_back(states.back());
    Problem p(cell, {}, inputs, DType::f64);
    run_whole(p, reference(cell));
    for (std::size_t s = 0; s < states.size(); ++s) states[s] = p.operands[p.inputs() + s];
  }
  for (std::size_t s = 0; s < states.size(); ++s)
    EXPECT_FALSE(difference(states[s], shaped(c["outputs"][s + 1], DType::f64), 1e-14)) << cell.name;
}

TEST(Recurrent, CellsStepAsTheWholeSequenceDoes) {
  expect_steps_give_the_sequence(lstm_cell, lstm);
  expect_steps_give_the_sequence(gru_cell, gru);
}

TEST(Recurrent, NumberOfGatesMustFit) {
  const std::vector<Shape> inputs{{5, 4, 3}, {7, 3}, {7, 2}, {7}, {7}, {5, 2}, {5, 2}};
  const Signature s = signature_of(lstm, {}, inputs);
  const auto text = message_of(Exit::usage, [&] { output_shape(lstm, {}, s, inputs, 10); });
  EXPECT_THAT(text, ::testing::HasSubstr("w_hh is 7x2; its first dimension is 4 times its second"));
}

}  // namespace
}  // namespace pleiad::testing
