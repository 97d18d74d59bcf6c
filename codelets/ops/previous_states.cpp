#include "codelets/ops/previous_states.hpp"

#include "codelets/kernel.hpp"

namespace pleiad {
namespace {

struct PreviousStates {
  template <class T>
  static void run(const Call& c) noexcept {
    const Index batch = c[0].shape[0], time = c[0].shape[1], hidden = c[0].shape[2];
    for (Index b = 0; b < batch; ++b) {
      T* z = c[2].as<T>() + b * time * hidden;
      copy(c[1].as<const T>() + b * hidden, {z, hidden, c[2].accumulate});
      copy(c[0].as<const T>() + b * time * hidden, {z + hidden, (time - 1) * hidden, c[2].accumulate});
    }
  }

 private:
  template <class T>
  struct Stretch {
    T* begin;
    Index length;
    bool accumulate;
  };
  template <class T>
  static void copy(const T* x, Stretch<T> to) noexcept {
    const Tile y{.data = to.begin, .shape = {to.length}, .dtype = dtype_of<T>, .accumulate = to.accumulate};
    fill_elements<T>(y, [x](Index i) { return static_cast<Wide<T>>(x[i]); });
  }
};

std::vector<Sample> samples() { return {{.inputs = {{5, 4, 3}, {5, 3}}}, {.inputs = {{2, 1, 3}, {2, 3}}}}; }

}  // namespace

const Op previous_states{.name = "previous_states",
                         .axes = "bTH,bH->bTH",
                         .operands = {{{"y"}, {"h0"}, {"z"}}},
                         .flops = 0,
                         .impls = {cpu_impl<PreviousStates>("ref")},
                         .samples = samples};

}  // namespace pleiad
