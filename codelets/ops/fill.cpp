#include "codelets/ops/fill.hpp"

#include "codelets/kernel.hpp"

namespace pleiad {
namespace {

void run(const Call& c) noexcept {
  with_stored(c[0].dtype, [&]<class T>() {
    const auto value = static_cast<Wide<T>>(c.attrs.as<FillAttrs>().value);
    fill_elements<T>(c[0], [=](Index) { return value; });
  });
}

void launch(const Call& c, GpuQueue& q) {
  q.run("fill", c[0].dtype, grid_of_elements(c[0].size()), c[0], c[0].size(), c.attrs.as<FillAttrs>().value,
        c[0].accumulate);
}

Index extent(char axis, std::span<const Shape>, const Attrs& attrs) {
  const auto axes = attrs.axes.view().substr(2);  // after "->"
  return attrs.as<FillAttrs>().extents[axes.find(axis)];
}

std::vector<Sample> samples() { return {{.inputs = {}, .attrs = fill_attrs(0.5, {7, 5})}}; }

}  // namespace

Attrs fill_attrs(double value, const Shape& extents) {
  return Attrs::of(FillAttrs{value, extents}, std::string("->").append("abcdef", extents.rank()));
}

const Op fill{.name = "fill",
              .axes = {},
              .operands = {{{"y"}}},
              .flops = 0,
              .extent = extent,
              .impls = {{gpu_impl<launch>(), {.name = "ref", .run = run}}},
              .samples = samples};

}  // namespace pleiad
