#include "codelets/ops/adaptive_avg_pool2d.hpp"
#include "codelets/ops/avg_pool2d.hpp"
#include "codelets/ops/conv2d_dw.hpp"
#include "codelets/ops/conv2d_dx.hpp"
#include "codelets/ops/depthwise_conv2d.hpp"
#include "codelets/ops/max_pool2d.hpp"
#include "codelets/ops/pad2d.hpp"
#include "expect_outputs.hpp"
#include "reference_data.hpp"

namespace pleiad::testing {
namespace {

using Json = nlohmann::json;

Numbers numbers(const Json& entry) {
  Numbers n{{}, entry["at"].get<std::vector<double>>()};
  for (const Json& e : entry["shape"]) n.shape.push_back(e.get<Index>());
  return n;
}
std::vector<double> values(const Json& entry) { return entry["at"].get<std::vector<double>>(); }
std::array<std::int32_t, 2> pair(const Json& j) { return j.get<std::array<std::int32_t, 2>>(); }
std::array<std::int32_t, 2> extents(const Shape& s, std::size_t first) {
  return {static_cast<std::int32_t>(s[first]), static_cast<std::int32_t>(s[first + 1])};
}

const Json& data() {
  static const Json all = reference_data("convolutions.json");
  return all;
}

Conv2dAttrs conv_attrs(const Json& j) {
  return {.stride = pair(j["stride"]),
          .padding = pair(j["padding"]),
          .dilation = pair(j["dilation"]),
          .groups = j["groups"].get<std::int32_t>(),
          .relu = j["relu"].get<bool>()};
}

TEST(Conv2d, AgreesWithPyTorch) {
  for (const Json& j : data()["conv2d"]) {
    std::vector<Numbers> inputs{numbers(j["x"]), numbers(j["w"])};
    if (j.contains("b")) inputs.push_back(numbers(j["b"]));
    expect_outputs(conv2d, conv2d_attrs(conv_attrs(j), j.contains("b")), inputs, {values(j["y"])});
  }
}

TEST(Conv2d, GradientsAgreeWithPyTorch) {
  for (const Json& j : data()["conv2d"]) {
    Conv2dAttrs a = conv_attrs(j);
    Numbers dz = numbers(j["dy"]);
    const Numbers x = numbers(j["x"]), w = numbers(j["w"]);
    for (std::size_t i = 0; a.relu && i < dz.at.size(); ++i)
      if (values(j["y"])[i] <= 0) dz.at[i] = 0;
    const bool groups = a.groups > 1;
    a.extents = extents(x.shape, 1);
    expect_outputs(conv2d_dx, Attrs::of(a, groups ? "nPQK,KGRS->nHWI" : "nPQk,kcRS->nHWc"), {dz, w}, {values(j["dx"])});
    a.extents = extents(w.shape, 2);
    std::string notation = groups ? "nPQK,nHWI->KGRS" : "nPQk,nHWc->kcRS";
    std::vector<std::vector<double>> wanted{values(j["dw"])};
    if (j.contains("b")) {
      notation += groups ? ",K" : ",k";
      wanted.push_back(values(j["db"]));
    }
    expect_outputs(conv2d_dw, Attrs::of(a, notation), {dz, x}, wanted);
  }
}

TEST(DepthwiseConv2d, AgreesWithPyTorch) {
  for (const Json& j : data()["depthwise_conv2d"]) {
    Conv2dAttrs a = conv_attrs(j);
    const Numbers x = numbers(j["x"]), w = numbers(j["w"]), dy = numbers(j["dy"]);
    expect_outputs(depthwise_conv2d, Attrs::of(a), {x, w}, {values(j["y"])});
    a.extents = extents(x.shape, 1);
    expect_outputs(depthwise_conv2d_dx, Attrs::of(a), {dy, w}, {values(j["dx"])});
    a.extents = extents(w.shape, 2);
    expect_outputs(depthwise_conv2d_dw, Attrs::of(a), {dy, x}, {values(j["dw"])});
  }
}

PoolAttrs pool_attrs(const Json& j) {
  const PoolAttrs a{.kernel = pair(j["kernel"]),
                    .stride = pair(j["stride"]),
                    .padding = pair(j["padding"]),
                    .count_padding = j["count"].get<bool>()};
  return with_extents_of(a, numbers(j["x"]).shape);
}

TEST(MaxPool2d, AgreesWithPyTorch) {
  for (const Json& j : data()["max_pool2d"]) {
    const Attrs attrs = Attrs::of(pool_attrs(j));
    for (DType t : kNumeric) {
      for (const Impl& impl : max_pool2d.implementations()) {
        Problem p = problem_of(max_pool2d, attrs, {numbers(j["x"])}, t);
        expect_outputs_of(p, {values(j["y"]), values(j["indices"])}, {}, t, impl);
      }
    }
    expect_outputs(max_pool2d_grad, attrs, {numbers(j["dy"]), numbers(j["indices"])}, {values(j["dx"])});
  }
}

TEST(MaxPool2d, NanIsTheLargest) {
  Numbers x{{1, 2, 2, 1}, {1, NAN, 2, 0}};
  Problem p = problem_of(max_pool2d, Attrs::of(PoolAttrs{}), {x}, DType::f32);
  run_whole(p, reference(max_pool2d));
  EXPECT_TRUE(std::isnan(p.operands[1][0]));
  EXPECT_EQ(p.operands[2][0], 1);
}

TEST(AvgPool2d, AgreesWithPyTorch) {
  for (const Json& j : data()["avg_pool2d"]) {
    const Attrs attrs = Attrs::of(pool_attrs(j));
    expect_outputs(avg_pool2d, attrs, {numbers(j["x"])}, {values(j["y"])});
    expect_outputs(avg_pool2d_grad, attrs, {numbers(j["dy"])}, {values(j["dx"])});
  }
}

TEST(AdaptiveAvgPool2d, AgreesWithPyTorch) {
  for (const Json& j : data()["adaptive_avg_pool2d"]) {
    const auto attrs = [&](const char* image) {
      return Attrs::of(AdaptivePoolAttrs{extents(numbers(j[image]).shape, 1)});
    };
    expect_outputs(adaptive_avg_pool2d, attrs("y"), {numbers(j["x"])}, {values(j["y"])});
    expect_outputs(adaptive_avg_pool2d_grad, attrs("x"), {numbers(j["dy"])}, {values(j["dx"])});
  }
}

TEST(Pad2d, AgreesWithPyTorch) {
  for (const Json& j : data()["pad2d"]) {
    const auto b = j["border"].get<std::array<std::int32_t, 4>>();
    const PadAttrs a{.top = b[2], .bottom = b[3], .left = b[0], .right = b[1], .value = j["value"].get<double>()};
    const PadAttrs back{.top = -b[2], .bottom = -b[3], .left = -b[0], .right = -b[1]};
    expect_outputs(pad2d, Attrs::of(a), {numbers(j["x"])}, {values(j["y"])});
    expect_outputs(pad2d, Attrs::of(back), {numbers(j["dy"])}, {values(j["dx"])});
  }
}

/// Runs the implementations that fit in f32, plain and accumulating, against the reference in float64.
void expect_like_reference(const Op& op, const Attrs& attrs, const std::vector<Numbers>& inputs, std::size_t fitting) {
  Problem exact = problem_of(op, attrs, inputs, DType::f64);
  run_whole(exact, reference(op));
  std::vector<std::vector<double>> wanted;
  for (std::size_t o = exact.inputs(); o < exact.operands.size(); ++o) {
    auto& values = wanted.emplace_back();
    for (Index e = 0; e < exact.operands[o].size(); ++e) values.push_back(exact.operands[o][e]);
  }
  std::size_t fast = 0;
  for (const Impl& impl : op.implementations()) {
    Problem p = problem_of(op, attrs, inputs, DType::f32);
    if (impl.device != Device::cpu || impl.name == std::string("ref") || !fits(p, impl, p.tiles())) continue;
    ++fast;
    for (std::optional<double> before : {std::optional<double>(), std::optional<double>(0.5)})
      expect_outputs_of(p, wanted, before, DType::f32, impl);
  }
  EXPECT_LE(fitting, fast) << op.name;
}

TEST(Conv2d, WinogradAgreesWithTheReference) {
  const Numbers x = normal_numbers({24, 7, 5, 64}, 1), w = normal_numbers({80, 64, 3, 3}, 2),
                b = normal_numbers({80}, 3), dy = normal_numbers({24, 7, 5, 80}, 4);
  const std::size_t fast = __builtin_cpu_supports("avx512dq") ? 2 : 1;
  Conv2dAttrs a{.padding = {1, 1}};
  expect_like_reference(conv2d, conv2d_attrs(a, true), {x, w, b}, fast);
  a.extents = {7, 5};
  expect_like_reference(conv2d_dx, Attrs::of(a, "nPQk,kcRS->nHWc"), {dy, w}, fast);
  a.extents = {3, 3};
  expect_like_reference(conv2d_dw, Attrs::of(a, "nPQk,nHWc->kcRS,k"), {dy, x}, fast);
}

TEST(Conv2d, NanReachesTheOutput) {
  Numbers x = normal_numbers({2, 3, 3, 4}, 1);
  x.at[0] = NAN;
  Conv2dAttrs a{.padding = {1, 1}, .relu = true};
  for (const Impl& impl : conv2d.implementations()) {
    Problem p = problem_of(conv2d, conv2d_attrs(a, false), {x, normal_numbers({2, 4, 3, 3}, 2)}, DType::f32);
    if (!fits(p, impl, p.tiles())) continue;
    run_whole(p, impl);
    EXPECT_TRUE(std::isnan(p.operands[2][0])) << impl.name;
    EXPECT_FALSE(std::isnan(p.operands[2][2 * 9])) << impl.name;
  }
}

TEST(Conv2d, WhatDoesNotFitIsRejectedByName) {
  const auto complaint = [](const Op& op, const Attrs& attrs, const std::vector<Shape>& inputs) {
    try {
      const Signature s = signature_of(op, attrs, inputs);
      output_shape(op, attrs, s, inputs, inputs.size());
    } catch (const ShapeError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(complaint(conv2d, conv2d_attrs({}, false), {{1, 2, 5, 3}, {4, 3, 3, 3}}),
            "conv2d: w spans 3 rows, but x with its padding has 2");
  EXPECT_EQ(complaint(conv2d, conv2d_attrs({.groups = 2}, false), {{1, 5, 5, 3}, {4, 3, 3, 3}}),
            "conv2d: w is 4x3x3x3, but x has 3 channels in 2 groups");
  EXPECT_EQ(complaint(depthwise_conv2d, Attrs::of(Conv2dAttrs{}), {{1, 5, 5, 3}, {3, 2, 3, 3}}),
            "depthwise_conv2d: w is 3x2x3x3, but its second extent is 1");
  EXPECT_EQ(
      complaint(conv2d_dx, Attrs::of(Conv2dAttrs{.extents = {5, 5}}, "nPQk,kcRS->nHWc"), {{1, 4, 3, 2}, {2, 3, 3, 3}}),
      "conv2d_dx: dy has 4 rows, but the attributes of the call make 3");
  EXPECT_EQ(complaint(max_pool2d_grad, Attrs::of(PoolAttrs{.extents = {4, 6}}), {{1, 2, 2, 2}, {1, 2, 2, 2}}),
            "max_pool2d_grad: dy has 2 columns, but the attributes of the call make 3");
}

}  // namespace
}  // namespace pleiad::testing
