#include "codelets/ops/linear.hpp"

#include "codelets/ops/linear_dw.hpp"
#include "expect_outputs.hpp"

namespace pleiad::testing {
namespace {

struct Layer {
  Index batch, in, out;
  Numbers x = normal_numbers({batch, in}, 1), w = normal_numbers({out, in}, 2), b = normal_numbers({out}, 3);

  double x_at(Index r, Index i) const { return x.at[static_cast<std::size_t>(r * in + i)]; }
  std::vector<double> product() const {
    std::vector<double> z;
    for (Index r = 0; r < batch; ++r)
      for (Index o = 0; o < out; ++o) {
        double sum = b.at[static_cast<std::size_t>(o)];
        for (Index i = 0; i < in; ++i) sum += x_at(r, i) * w.at[static_cast<std::size_t>(o * in + i)];
        z.push_back(sum);
      }
    return z;
  }
};

double value(Activation a, double z) {
  switch (a) {
    case Activation::relu:
      return std::max(z, 0.0);
    case Activation::gelu:
      return z / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (z + 0.044715 * z * z * z)));
    case Activation::silu:
      return z / (1 + std::exp(-z));
    default:
      return z;
  }
}

const std::vector<Layer> kLayers{{1, 1, 1}, {1, 7, 5}, {5, 1, 7}, {7, 5, 1}, {33, 65, 17}, {64, 200, 130}};

TEST(Linear, IsAProductAndABiasAndAnActivation) {
  for (Activation a : {Activation::none, Activation::relu, Activation::gelu, Activation::silu})
    for (const Layer& l : kLayers) {
      const bool saves = a == Activation::gelu || a == Activation::silu;
      const auto z = l.product();
      std::vector<double> y;
      for (double v : z) y.push_back(value(a, v));
      const auto wanted = saves ? std::vector<std::vector<double>>{y, z} : std::vector<std::vector<double>>{y};
      expect_outputs(linear, Attrs::of(LinearAttrs{a}, saves ? "bI,oI,o->bo,bo" : "bI,oI,o->bo"), {l.x, l.w, l.b},
                     wanted);
    }
}

TEST(Linear, LeadingAxesAreBatch) {
  Layer l{12, 5, 7};
  const auto z = l.product();
  l.x.shape = {3, 4, 5};
  expect_outputs(linear, Attrs("btI,oI,o->bto"), {l.x, l.w, l.b}, {z});
  expect_outputs(linear, Attrs("...I,oI,o->...o"), {l.x, l.w, l.b}, {z});
}

TEST(Linear, NanReachesTheOutput) {
  Layer l{3, 20, 40};
  l.x.at[25] = NAN;
  for (Activation a : {Activation::none, Activation::relu})
    for (const Impl& impl : linear.implementations()) {
      Problem p = problem_of(linear, Attrs::of(LinearAttrs{a}, "bI,oI,o->bo"), {l.x, l.w, l.b}, DType::f32);
      run_whole(p, impl);
      for (Index i = 0; i < 3 * 40; ++i) EXPECT_EQ(std::isnan(p.operands[3][i]), i / 40 == 1) << impl.name;
    }
}

TEST(LinearDeath, AxesThatAreNoMatrixProductEndTheProcess) {
  Problem p = problem_of(linear, Attrs("Ib,oI,o->bo"),
                         {normal_numbers({5, 7}, 1), normal_numbers({6, 5}, 2), normal_numbers({6}, 3)}, DType::f32);
  EXPECT_EXIT(run_whole(p, reference(linear)), ::testing::ExitedWithCode(1), "linear: notation Ib,oI,o->bo");
}

TEST(LinearDw, SumsOverTheBatch) {
  for (const Layer& l : kLayers) {
    const Numbers dz = normal_numbers({l.batch, l.out}, 4);
    std::vector<double> dw(static_cast<std::size_t>(l.out * l.in)), db(static_cast<std::size_t>(l.out));
    for (Index r = 0; r < l.batch; ++r)
      for (Index o = 0; o < l.out; ++o) {
        const double d = dz.at[static_cast<std::size_t>(r * l.out + o)];
        db[static_cast<std::size_t>(o)] += d;
        for (Index i = 0; i < l.in; ++i) dw[static_cast<std::size_t>(o * l.in + i)] += d * l.x_at(r, i);
      }
    expect_outputs(linear_dw, Attrs("bo,bI->oI,o"), {dz, l.x}, {dw, db});
  }
}

}  // namespace
}  // namespace pleiad::testing
