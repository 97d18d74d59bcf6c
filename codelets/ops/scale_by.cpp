#include "codelets/ops/scale_by.hpp"

#include "codelets/kernel.hpp"

namespace pleiad {
namespace {

struct ScaleBy {
  template <class T>
  static void run(const Call& c) noexcept {
    const auto factor = *c[1].as<const Wide<T>>();
    const T* x = c[0].as<const T>();
    fill_elements<T>(c[2], [=](Index i) { return factor * static_cast<Wide<T>>(x[i]); });
  }
};

std::vector<Sample> samples() { return {{.inputs = {{7, 5}, {}}}}; }

}  // namespace

const Op scale_by{.name = "scale_by",
                  .axes = "...,->...",
                  .operands = {{{"x"}, {"factor", Element::wide}, {"y"}}},
                  .impls = {{gpu_elements<"scale_by">(), cpu_impl<ScaleBy>("ref")}},
                  .samples = samples};

}  // namespace pleiad
