#include "codelets/ops/dropout.hpp"

#include <Random123/philox.h>

#include <algorithm>

#include "codelets/gpu/strides.hpp"
#include "codelets/kernel.hpp"

namespace pleiad {
namespace {

using Philox = r123::Philox4x32;  // Salmon et al. 2011; one block of random words serves four elements
constexpr Index kWords = 4, kBlocks = 16;

/// What decides the fate of the elements of a tensor.
struct Mask {
  std::uint64_t seed;
  std::uint32_t step, key;
  std::uint64_t threshold;  // a random word below it means zero

  /// Random words of blocks first...first + kBlocks - 1.
  void words(std::uint64_t first, std::uint32_t* out) const {
    const Philox::key_type k{{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}};
    for (std::uint64_t b = 0; b < kBlocks; ++b) {
      const std::uint64_t block = first + b;
      const auto r =
          Philox()({{static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32), step, key}}, k);
      for (std::size_t w = 0; w < kWords; ++w) out[b * kWords + w] = r[w];
    }
  }
};

struct DropoutKernel {
  template <class T>
  static void run(const Call& c) noexcept {
    const auto a = c.attrs.as<DropoutAttrs>();
    const Mask mask{c.step.seed, static_cast<std::uint32_t>(c.step.number), a.key,
                    static_cast<std::uint64_t>(a.p * 0x1p32)};
    const auto scale = static_cast<Wide<T>>(a.p < 1 ? 1 / (1 - a.p) : 0);
    const Index n = row_length(c[0]);
    for (Index at = 0; at < c[0].size(); at += n) row<T>(c, mask, scale, at, n);
  }

 private:
  /// Elements at...at+n-1 of the tile, which are neighbours in the logical tensor as well.
  template <class T>
  static void row(const Call& c, const Mask& mask, Wide<T> scale, Index at, Index n) {
    const Index global = global_index(c[0], at);
    std::array<std::uint32_t, kWords * kBlocks> words;
    for (Index i = -(global % kWords); i < n; i += kWords * kBlocks) {
      mask.words(static_cast<std::uint64_t>((global + i) / kWords), words.data());
      const Index begin = std::max<Index>(i, 0), end = std::min(i + kWords * kBlocks, n);
      const T* x = c[0].as<const T>() + at + begin;
      const std::uint32_t* random = words.data() + (begin - i);
      Tile y = c[1];
      y.data = c[1].as<T>() + at + begin;
      y.shape = {end - begin};
      fill_elements<T>(
          y, [&](Index j) { return static_cast<Wide<T>>(x[j]) * (random[j] < mask.threshold ? Wide<T>(0) : scale); });
    }
  }
};

void launch(const Call& c, GpuQueue& q) {
  const auto a = c.attrs.as<DropoutAttrs>();
  const auto low = static_cast<std::uint32_t>(c.step.seed), high = static_cast<std::uint32_t>(c.step.seed >> 32);
  q.run("dropout", c[0].dtype, grid_of_elements(c[0].size()), c[0], c[1], c[0].size(), c[1].accumulate,
        gpu_strides(c[0].shape, row_major_strides(c[0].whole)), global_index(c[0], 0), a.p < 1 ? 1 / (1 - a.p) : 0,
        static_cast<Index>(a.p * 0x1p32), static_cast<std::uint32_t>(c.step.number), a.key, low, high);
}

void gradient(Grad& g) { g.dx(0, g.call(dropout, {g.dy()}, g.attrs())[0]); }

std::vector<Sample> samples() {
  return {{.inputs = {{7, 5}}, .attrs = Attrs::of(DropoutAttrs{.p = 0.3, .key = 1})},
          {.inputs = {{3, 2, 67}}, .attrs = Attrs::of(DropoutAttrs{.p = 0.5, .key = 2})}};
}

}  // namespace

const Op dropout{.name = "dropout",
                 .axes = "...->...",
                 .operands = {{{"x"}, {"y"}}},
                 .flops = 20,
                 .grad = gradient,
                 .impls = {{gpu_impl<launch>(), cpu_impl<DropoutKernel>("ref")}},
                 .samples = samples};

}  // namespace pleiad
