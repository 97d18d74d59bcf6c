#include "codelets/ops/scale.hpp"

#include "codelets/kernel.hpp"

namespace pleiad {
namespace {

struct Scale {
  template <class T>
  static void run(const Call& c) noexcept {
    const auto factor = static_cast<Wide<T>>(c.attrs.as<ScaleAttrs>().factor);
    const T* x = c[0].as<const T>();
    fill_elements<T>(c[1], [=](Index i) { return factor * static_cast<Wide<T>>(x[i]); });
  }
};

void launch(const Call& c, GpuQueue& q) {
  q.run("scale", c[0].dtype, grid_of_elements(c[0].size()), c[0], c[1], c[0].size(), c[1].accumulate,
        c.attrs.as<ScaleAttrs>().factor);
}

void gradient(Grad& g) { g.dx(0, g.call(scale, {g.dy()}, g.attrs())[0]); }

std::vector<Sample> samples() { return {{.inputs = {{7, 5}}, .attrs = Attrs::of(ScaleAttrs{-1.5})}}; }

}  // namespace

const Op scale{.name = "scale",
               .axes = "...->...",
               .operands = {{{"x"}, {"y"}}},
               .grad = gradient,
               .impls = {{gpu_impl<launch>(), cpu_impl<Scale>("ref")}},
               .samples = samples};

}  // namespace pleiad
