#include "codelets/pool/pool.hpp"

#include <algorithm>
#include <string>

#include "codelets/base/error.hpp"
#include "codelets/pool/pixels.hpp"

namespace pleiad {
namespace {

Slide slide_of(const PoolAttrs& a, std::size_t d, Index in, Index out) {
  return {.in = in, .out = out, .kernel = a.kernel[d], .stride = a.stride[d], .padding = a.padding[d]};
}

template <class T>
void average_as(const Windows& v, const Tile& image, const Tile& pooled) noexcept {
  const Pixels<const T> x(image);
  Sums<T> sums(pooled);
  for_each_pixel(pooled, [&](Index n, Index p, Index q) {
    sums.clear();
    each_in(v.rows.covered, p,
            [&](Index h) { each_in(v.cols.covered, q, [&](Index w) { sums.add(x.at(n, h, w), 1); }); });
    sums.put(static_cast<Wide<T>>(1 / v.area(p, q)));
  });
}

template <class T>
void average_grad_as(const Windows& v, const Tile& pooled, const Tile& image) noexcept {
  const Pixels<const T> dy(pooled);
  Sums<T> sums(image);
  for_each_pixel(image, [&](Index n, Index h, Index w) {
    sums.clear();
    each_in(v.rows.places, h, [&](Index p) {
      each_in(v.cols.places, w, [&](Index q) { sums.add(dy.at(n, p, q), static_cast<Wide<T>>(1 / v.area(p, q))); });
    });
    sums.put(1);
  });
}

}  // namespace

Windows sliding_windows(const PoolAttrs& a, const Tile& image, const Tile& pooled) {
  return {sliding_spans(slide_of(a, 0, image.shape[1], pooled.shape[1]), a.count_padding),
          sliding_spans(slide_of(a, 1, image.shape[2], pooled.shape[2]), a.count_padding)};
}

Windows adaptive_windows(const Tile& image, const Tile& pooled) {
  return {adaptive_spans(image.shape[1], pooled.shape[1]), adaptive_spans(image.shape[2], pooled.shape[2])};
}

GpuPool gpu_adaptive(const Tile& image, const Tile& pooled) {
  const auto narrow = [](Index i) { return static_cast<int>(i); };
  return {.channels = image.shape[3],
          .in = {narrow(image.shape[1]), narrow(image.shape[2])},
          .out = {narrow(pooled.shape[1]), narrow(pooled.shape[2])},
          .adaptive = 1};
}

GpuPool gpu_sliding(const PoolAttrs& a, const Tile& image, const Tile& pooled) {
  GpuPool g = gpu_adaptive(image, pooled);
  g.adaptive = 0;
  g.count_padding = a.count_padding;
  for (std::size_t d = 0; d < 2; ++d) {
    g.window[d] = a.kernel[d];
    g.stride[d] = a.stride[d];
    g.padding[d] = a.padding[d];
  }
  return g;
}

Index pool_extent(std::string_view op, const PoolAttrs& a, std::size_t d, Index in) {
  const Slide s = slide_of(a, d, in, 0);
  const std::string what = std::string(op) + ": kernel " + std::to_string(s.kernel) + ", stride " +
                           std::to_string(s.stride) + ", padding " + std::to_string(s.padding);
  if (s.kernel < 1 || s.stride < 1 || s.padding < 0 || 2 * s.padding > s.kernel)
    throw ShapeError(what + "; kernel and stride start at 1, and padding is at most half of the kernel");
  if (s.places() < 1)
    throw ShapeError(what + ", but x has only " + std::to_string(in) + (d == 0 ? " rows" : " columns"));
  return s.places();
}

Index pool_noted_image(std::string_view op, const PoolAttrs& a, std::size_t d, Index places) {
  const Index wanted = pool_extent(op, a, d, a.extents[d]);
  if (wanted == places) return a.extents[d];
  throw ShapeError(std::string(op) + ": dy has " + std::to_string(places) + (d == 0 ? " rows" : " columns") +
                   ", but the attributes of the call make " + std::to_string(wanted));
}

PoolAttrs with_extents_of(PoolAttrs a, const Shape& image) {
  a.extents = {static_cast<std::int32_t>(image[1]), static_cast<std::int32_t>(image[2])};
  return a;
}

void average(const Windows& v, const Tile& image, const Tile& pooled) noexcept {
  with_dtype(image.dtype, [&]<class T>() { average_as<T>(v, image, pooled); });
}

void average_grad(const Windows& v, const Tile& pooled, const Tile& image) noexcept {
  with_dtype(image.dtype, [&]<class T>() { average_grad_as<T>(v, pooled, image); });
}

void gpu_average(GpuQueue& q, const GpuPool& v, const Tile& image, const Tile& pooled) {
  q.run("average_pool", image.dtype, grid_of_elements(pooled.size()), image, pooled, v, pooled.size(),
        pooled.accumulate);
}

void gpu_average_grad(GpuQueue& q, const GpuPool& v, const Tile& pooled, const Tile& image) {
  q.run("average_pool_grad", image.dtype, grid_of_elements(image.size()), pooled, image, v, image.size(),
        image.accumulate);
}

}  // namespace pleiad
