#include "codelets/ops/einsum.hpp"

#include <map>

#include "expect_outputs.hpp"

namespace pleiad::testing {
namespace {

/// Sums by the definition: over every point of the iteration space.
struct Definition {
  const Signature& signature;
  const std::vector<Numbers>& inputs;
  Shape output;
  std::map<char, Index> extent, at;

  Definition(const Signature& s, const std::vector<Numbers>& in, const Shape& out)
      : signature(s), inputs(in), output(out) {
    for (std::size_t i = 0; i < s.operands.size(); ++i)
      for (std::size_t d = 0; d < s.operands[i].axes.size(); ++d)
        extent[s.operands[i].axes[d]] = i < in.size() ? in[i].shape[d] : out[d];
  }
  std::size_t offset(std::size_t operand) {
    Index offset = 0;
    for (char a : signature.operands[operand].axes) offset = offset * extent[a] + at[a];
    return static_cast<std::size_t>(offset);
  }
  void add_all(std::vector<double>& y, std::size_t axis = 0) {
    if (axis == signature.axes.size()) {
      double product = 1;
      for (std::size_t i = 0; i < inputs.size(); ++i) product *= inputs[i].at[offset(i)];
      y[offset(inputs.size())] += product;
      return;
    }
    const char a = signature.axes[axis];
    for (at[a] = 0; at[a] < extent[a]; ++at[a]) add_all(y, axis + 1);
  }
};

void expect_contraction(const Attrs& attrs, const std::vector<Shape>& shapes, double scale = 1) {
  std::vector<Numbers> inputs;
  for (const Shape& s : shapes) inputs.push_back(normal_numbers(s, static_cast<unsigned>(inputs.size())));
  const Signature s = signature_of(einsum, attrs, shapes);
  const Shape out = output_shape(einsum, attrs, s, shapes, shapes.size());
  std::vector<double> sums(static_cast<std::size_t>(out.volume()));
  Definition(s, inputs, out).add_all(sums);
  for (double& x : sums) x *= scale;
  expect_outputs(einsum, attrs, inputs, {sums});
}

TEST(Einsum, EveryOrderOfMatrixProduct) {
  const std::map<char, Index> extent{{'m', 17}, {'n', 33}, {'k', 9}};
  for (std::string a : {"mk", "km"})
    for (std::string b : {"kn", "nk"})
      for (std::string c : {"mn", "nm"}) {
        const auto shape = [&](const std::string& axes) { return Shape{extent.at(axes[0]), extent.at(axes[1])}; };
        expect_contraction(Attrs(a + "," + b + "->" + c), {shape(a), shape(b)});
        expect_contraction(Attrs(b + "," + a + "->" + c), {shape(b), shape(a)});
      }
}

TEST(Einsum, GroupedAxesAreOneAxis) {
  expect_contraction(Attrs("btc,cgrd->btgrd"), {{2, 3, 5}, {5, 2, 2, 3}});
  expect_contraction(Attrs("btgrd,cgrd->btc"), {{2, 3, 2, 2, 3}, {5, 2, 2, 3}});
  expect_contraction(Attrs("btc,btgrd->cgrd"), {{2, 3, 5}, {2, 3, 2, 2, 3}});
}

TEST(Einsum, BatchedAndInterleavedAxes) {
  expect_contraction(Attrs("bij,bjk->bik"), {{3, 4, 5}, {3, 5, 2}});
  expect_contraction(Attrs("btgrd,bsgd->btgrs"), {{2, 3, 2, 2, 4}, {2, 5, 2, 4}});
  expect_contraction(Attrs("btgrs,bsgd->btgrd"), {{2, 3, 2, 2, 5}, {2, 5, 2, 4}});
  expect_contraction(Attrs("btgrs,btgrd->bsgd"), {{2, 3, 2, 2, 5}, {2, 3, 2, 2, 4}});
  expect_contraction(Attrs("ijk,ljk->li"), {{3, 2, 4}, {5, 2, 4}});
  expect_contraction(Attrs("jik,ljk->li"), {{2, 3, 4}, {5, 2, 4}});
}

TEST(Einsum, ExtentOneIsNoSpecialCase) {
  for (Index m : {1, 4})
    for (Index n : {1, 5})
      for (Index k : {1, 3}) {
        expect_contraction(Attrs("mk,kn->mn"), {{m, k}, {k, n}});
        expect_contraction(Attrs("mk,nk->mn"), {{m, k}, {n, k}});
        expect_contraction(Attrs("km,kn->mn"), {{k, m}, {k, n}});
        expect_contraction(Attrs("bkm,bnk->bmn"), {{2, k, m}, {2, n, k}});
      }
}

TEST(Einsum, VectorsAndScalars) {
  expect_contraction(Attrs("ij,j->i"), {{7, 33}, {33}});
  expect_contraction(Attrs("ij,i->j"), {{7, 33}, {7}});
  expect_contraction(Attrs("i,j->ij"), {{7}, {5}});
  expect_contraction(Attrs("i,i->"), {{33}, {33}});
  expect_contraction(Attrs("i,i->i"), {{33}, {33}});
  expect_contraction(Attrs("i,->i"), {{33}, {}});
  expect_contraction(Attrs("ij,k->"), {{3, 2}, {4}});
}

TEST(Einsum, OneInputSumsMovesAndRepeats) {
  expect_contraction(Attrs("ij->i"), {{7, 33}});
  expect_contraction(Attrs("ij->j"), {{7, 1500}});
  expect_contraction(Attrs("ij->ji"), {{7, 33}});
  expect_contraction(Attrs("ijk->ki"), {{3, 4, 5}});
  expect_contraction(Attrs("ijk->j"), {{3, 4, 5}});
  expect_contraction(Attrs("...->"), {{3, 4, 5}});
  expect_contraction(Attrs("...->..."), {{3, 4, 5}});
  expect_contraction(einsum_attrs("i->jik", {}, {{'j', 3}, {'k', 4}}), {{5}});
}

TEST(Einsum, ThreeInputs) {
  expect_contraction(Attrs("ij,jk,kl->il"), {{3, 4}, {4, 5}, {5, 2}});
  expect_contraction(Attrs("i,i,i->i"), {{5}, {5}, {5}});
}

TEST(Einsum, MeanDividesByLogicalExtents) {
  expect_contraction(einsum_attrs("ij->i", "j"), {{7, 33}}, 1 / 33.0);
  expect_contraction(einsum_attrs("i...->i", "..."), {{2, 3, 5}}, 1 / 15.0);
  expect_contraction(einsum_attrs("ik,kj->ij", "k"), {{7, 4}, {4, 5}}, 1 / 4.0);
}

TEST(Einsum, RepeatedAxisWithoutExtentIsRejected) {
  const std::vector<Shape> shapes{{5}};
  const Attrs attrs("i->ij");
  const Signature s = signature_of(einsum, attrs, shapes);
  EXPECT_THROW(output_shape(einsum, attrs, s, shapes, 1), ShapeError);
}

TEST(LetterAxes, DotsGetUnusedLetters) {
  const std::vector<std::size_t> ranks{3, 2};
  const LetterAxes axes(parse_notation("...A,Ac->...c", ranks));
  EXPECT_EQ(axes[0], "bdA");
  EXPECT_EQ(axes[2], "bdc");
  EXPECT_EQ(axes.letters("..."), "bd");
}

}  // namespace
}  // namespace pleiad::testing
