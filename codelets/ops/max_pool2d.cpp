#include "codelets/ops/max_pool2d.hpp"

#include <limits>

#include "codelets/pool/pixels.hpp"

namespace pleiad {
namespace {

/// The largest so far in each channel, and where it was. NaN is larger than all.
template <class T>
class Largest {
 public:
  explicit Largest(Index channels)
      : channels_(channels),
        top_(static_cast<Wide<T>*>(scratch(static_cast<std::size_t>(channels) * (sizeof(Wide<T>) + 4)))),
        at_(reinterpret_cast<std::int32_t*>(top_ + channels)) {}

  void clear(std::int32_t index) {
#pragma omp simd
    for (Index c = 0; c < channels_; ++c) {
      top_[c] = -std::numeric_limits<Wide<T>>::infinity();
      at_[c] = index;
    }
  }
  void see(const T* x, std::int32_t index) {
#pragma omp simd
    for (Index c = 0; c < channels_; ++c) {
      const auto v = static_cast<Wide<T>>(x[c]);
      const bool larger = v > top_[c] || v != v;
      top_[c] = larger ? v : top_[c];
      at_[c] = larger ? index : at_[c];
    }
  }
  void put(Tile& y, Tile& indices) const {
    const Wide<T>* top = top_;
    const std::int32_t* at = at_;
    fill_elements<T>(y, [=](Index c) { return top[c]; });
    fill_elements<std::int32_t>(indices, [=](Index c) { return at[c]; });
    y.data = y.template as<T>() + channels_;
    indices.data = indices.template as<std::int32_t>() + channels_;
  }

 private:
  Index channels_;
  Wide<T>* top_;
  std::int32_t* at_;
};

Tile first_pixel(Tile t) {
  t.shape = {t.shape[3]};
  return t;
}

struct MaxPool {
  template <class T>
  static void run(const Call& c) noexcept {
    const Windows v = sliding_windows(c.attrs.as<PoolAttrs>(), c[0], c[1]);
    const Pixels<const T> x(c[0]);
    Tile y = first_pixel(c[1]), indices = first_pixel(c[2]);
    Largest<T> largest(x.channels);
    const auto index = [&](Index h, Index w) { return static_cast<std::int32_t>(h * x.cols + w); };
    for_each_pixel(c[1], [&](Index n, Index p, Index q) {
      const auto at = [](const Spans& s, Index i) { return s.covered[static_cast<std::size_t>(i)].begin; };
      largest.clear(index(at(v.rows, p), at(v.cols, q)));
      each_in(v.rows.covered, p,
              [&](Index h) { each_in(v.cols.covered, q, [&](Index w) { largest.see(x.at(n, h, w), index(h, w)); }); });
      largest.put(y, indices);
    });
  }
};

struct MaxPoolGrad {
  template <class T>
  static void run(const Call& c) noexcept {
    const Windows v = sliding_windows(c.attrs.as<PoolAttrs>(), c[2], c[0]);
    const Pixels<const T> dy(c[0]);
    const Pixels<const std::int32_t> indices(c[1]);
    const Index cols = c[2].shape[2];
    Sums<T> sums(c[2]);
    for_each_pixel(c[2], [&](Index n, Index h, Index w) {
      sums.clear();
      each_in(v.rows.places, h, [&](Index p) {
        each_in(v.cols.places, w, [&](Index q) {
          sums.add_where(dy.at(n, p, q), indices.at(n, p, q), static_cast<std::int32_t>(h * cols + w));
        });
      });
      sums.put(1);
    });
  }
};

void launch(const Call& c, GpuQueue& q) {
  const GpuPool v = gpu_sliding(c.attrs.as<PoolAttrs>(), c[0], c[1]);
  q.run("max_pool", c[0].dtype, grid_of_elements(c[1].size()), c[0], c[1], c[2], v, c[1].size(), c[1].accumulate,
        c[2].accumulate);
}
void launch_grad(const Call& c, GpuQueue& q) {
  const GpuPool v = gpu_sliding(c.attrs.as<PoolAttrs>(), c[2], c[0]);
  q.run("max_pool_grad", c[0].dtype, grid_of_elements(c[2].size()), c[0], c[1], c[2], v, c[2].size(), c[2].accumulate);
}

Index extent(char axis, std::span<const Shape> in, const Attrs& attrs) {
  const std::size_t d = axis == 'P' ? 0 : 1;
  return pool_extent("max_pool2d", attrs.as<PoolAttrs>(), d, in[0][1 + d]);
}
Index grad_extent(char axis, std::span<const Shape> in, const Attrs& attrs) {
  const std::size_t d = axis == 'H' ? 0 : 1;
  return pool_noted_image("max_pool2d_grad", attrs.as<PoolAttrs>(), d, in[0][1 + d]);
}

void gradient(Grad& g) {
  const auto attrs = with_extents_of(g.attrs().as<PoolAttrs>(), g.shape(g.x(0)));
  g.dx(0, g.call(max_pool2d_grad, {g.dy(), g.y(1)}, Attrs::of(attrs))[0]);
}

constexpr PoolAttrs kHalving{.extents = {4, 5}};
constexpr PoolAttrs kOverlapping{.kernel = {3, 2}, .stride = {2, 1}, .padding = {1, 1}, .extents = {5, 4}};

std::vector<Sample> samples() {
  return {{.inputs = {{2, 4, 5, 5}}, .attrs = Attrs::of(kHalving)},
          {.inputs = {{3, 5, 4, 3}}, .attrs = Attrs::of(kOverlapping)}};
}
std::vector<Sample> grad_samples() {
  const std::vector<Domain> domains{Domain::normal, Domain::ids};
  return {{.inputs = {{2, 2, 2, 5}, {2, 2, 2, 5}}, .attrs = Attrs::of(kHalving), .domains = domains},
          {.inputs = {{3, 3, 5, 3}, {3, 3, 5, 3}}, .attrs = Attrs::of(kOverlapping), .domains = domains}};
}

}  // namespace

const Op max_pool2d{.name = "max_pool2d",
                    .axes = "nHWc->nPQc,nPQc",
                    .operands = {{{"x"}, {"y"}, {"indices", Element::index}}},
                    .over = "nHWc",
                    .extent = extent,
                    .grad = gradient,
                    .impls = {gpu_impl<launch>(), cpu_impl<MaxPool>("ref")},
                    .samples = samples};
const Op max_pool2d_grad{.name = "max_pool2d_grad",
                         .axes = "nPQc,nPQc->nHWc",
                         .operands = {{{"dy"}, {"indices", Element::index}, {"dx"}}},
                         .flops = 2,
                         .over = "nHWc",
                         .extent = grad_extent,
                         .impls = {gpu_impl<launch_grad>(), cpu_impl<MaxPoolGrad>("ref")},
                         .samples = grad_samples};

}  // namespace pleiad
