#include "codelets/ops/sgd.hpp"

#include "codelets/kernel.hpp"

namespace pleiad {
namespace {

struct Sgd {
  template <class T>
  static void run(const Call& c) noexcept {
    using W = Wide<T>;
    const W lr = static_cast<W>(c.step.lr), decay = static_cast<W>(c.attrs.as<SgdAttrs>().weight_decay);
    T* p = c[0].as<T>();
    const T* g = c[1].as<const T>();
#pragma omp simd
    for (Index i = 0; i < c[0].size(); ++i) {
      const W old = static_cast<W>(p[i]);
      store(p[i], old - lr * (static_cast<W>(g[i]) + decay * old));
    }
  }
};

void launch(const Call& c, GpuQueue& q) {
  q.run("sgd", c[0].dtype, grid_of_elements(c[0].size()), c[0], c[1], c[0].size(), c.step.lr,
        c.attrs.as<SgdAttrs>().weight_decay);
}

std::vector<Sample> samples() { return {{.inputs = {{7, 5}, {7, 5}}, .attrs = Attrs::of(SgdAttrs{0.1})}}; }

}  // namespace

const Op sgd{.name = "sgd",
             .axes = "&...,...->",
             .operands = {{{"p"}, {"g"}}},
             .flops = 4,
             .impls = {{gpu_impl<launch>(), cpu_impl<Sgd>("ref")}},
             .samples = samples};

}  // namespace pleiad
