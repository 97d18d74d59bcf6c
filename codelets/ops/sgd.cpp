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

std::vector<Sample> samples() { return {{.inputs = {{7, 5}, {7, 5}}, .attrs = Attrs::of(SgdAttrs{0.1})}}; }

}  // namespace

const Op sgd{.name = "sgd",
             .axes = "&...,...->",
             .operands = {{{"p"}, {"g"}}},
             .flops = 4,
             .impls = {cpu_impl<Sgd>("ref")},
             .samples = samples};

}  // namespace pleiad
