#include "codelets/ops/layer_norm.hpp"

#include "codelets/norm/row_norm.hpp"

namespace pleiad {
namespace {

template <bool residual>
constexpr Impls forward() {
  return {gpu_impl<launch_row_norm<true, residual>>(), cpu_impl<RowNorm<true, residual, VectorSum>>("simd"),
          cpu_impl<RowNorm<true, residual, PlainSum>>("ref")};
}
template <bool residual>
constexpr Impls backward() {
  return {gpu_impl<launch_row_norm_grad<true, residual>>(), cpu_impl<RowNormGrad<true, residual, VectorSum>>("simd"),
          cpu_impl<RowNormGrad<true, residual, PlainSum>>("ref")};
}

void gradient(Grad& g) {
  const auto d = g.call(layer_norm_grad, {g.x(0), g.x(1), g.y(1), g.y(2), g.dy()});
  for (int i = 0; i < 3; ++i) g.dx(i, d[static_cast<std::size_t>(i)]);
}

void add_gradient(Grad& g) {
  const auto d = g.call(add_layer_norm_grad, {g.y(0), g.x(2), g.y(2), g.y(3), g.dy(1), g.dy(0)});
  g.dx(0, d[0]);
  g.dx(1, d[0]);
  g.dx(2, d[1]);
  g.dx(3, d[2]);
}

const Attrs kAttrs = Attrs::of(NormAttrs{.eps = 1e-3});

std::vector<Sample> samples() {
  return {{.inputs = {{7, 5}, {5}, {5}}, .attrs = kAttrs}, {.inputs = {{3, 2, 83}, {83}, {83}}, .attrs = kAttrs}};
}
std::vector<Sample> add_samples() {
  return {{.inputs = {{7, 5}, {7, 5}, {5}, {5}}, .attrs = kAttrs},
          {.inputs = {{3, 2, 83}, {3, 2, 83}, {83}, {83}}, .attrs = kAttrs}};
}
std::vector<Sample> grad_samples() {
  const std::vector<Domain> domains{Domain::normal, Domain::normal, Domain::normal, Domain::positive};
  return {{.inputs = {{7, 5}, {5}, {7}, {7}, {7, 5}}, .domains = domains},
          {.inputs = {{3, 2, 83}, {83}, {3, 2}, {3, 2}, {3, 2, 83}}, .domains = domains}};
}
std::vector<Sample> add_grad_samples() {
  auto all = grad_samples();
  for (Sample& s : all) s.inputs.push_back(s.inputs[0]);
  return all;
}

}  // namespace

const Op layer_norm{.name = "layer_norm",
                    .axes = "...C,C,C->...C,...,...",
                    .operands = {{{"x"},
                                  {"weight", Element::wide},
                                  {"bias", Element::wide},
                                  {"y"},
                                  {"mean", Element::wide},
                                  {"rstd", Element::wide}}},
                    .flops = 8,
                    .grad = gradient,
                    .impls = forward<false>(),
                    .samples = samples};
const Op layer_norm_grad{.name = "layer_norm_grad",
                         .axes = "...C,C,...,...,...C->...C,C,C",
                         .operands = {{{"x"},
                                       {"weight", Element::wide},
                                       {"mean", Element::wide},
                                       {"rstd", Element::wide},
                                       {"dy"},
                                       {"dx"},
                                       {"dweight", Element::wide},
                                       {"dbias", Element::wide}}},
                         .flops = 15,
                         .impls = backward<false>(),
                         .samples = grad_samples};
const Op add_layer_norm{.name = "add_layer_norm",
                        .axes = "...C,...C,C,C->...C,...C,...,...",
                        .operands = {{{"x"},
                                      {"residual"},
                                      {"weight", Element::wide},
                                      {"bias", Element::wide},
                                      {"sum"},
                                      {"y"},
                                      {"mean", Element::wide},
                                      {"rstd", Element::wide}}},
                        .flops = 9,
                        .grad = add_gradient,
                        .impls = forward<true>(),
                        .samples = add_samples};
const Op add_layer_norm_grad{.name = "add_layer_norm_grad",
                             .axes = "...C,C,...,...,...C,...C->...C,C,C",
                             .operands = {{{"sum"},
                                           {"weight", Element::wide},
                                           {"mean", Element::wide},
                                           {"rstd", Element::wide},
                                           {"dy"},
                                           {"dsum"},
                                           {"dx"},
                                           {"dweight", Element::wide},
                                           {"dbias", Element::wide}}},
                             .flops = 16,
                             .impls = backward<true>(),
                             .samples = add_grad_samples};

}  // namespace pleiad
