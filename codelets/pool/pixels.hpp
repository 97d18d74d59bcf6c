#pragma once
#include "codelets/kernel.hpp"
#include "codelets/pool/spans.hpp"

// Loops over the pixels of channels-last images; what happens to the channels of one pixel is vectorised.

namespace pleiad {

/// Images [batch, rows, cols, channels].
template <class T>
struct Pixels {
  T* data;
  Index rows, cols, channels;

  explicit Pixels(const Tile& t) : data(t.as<T>()), rows(t.shape[1]), cols(t.shape[2]), channels(t.shape[3]) {}
  T* at(Index n, Index h, Index w) const { return data + ((n * rows + h) * cols + w) * channels; }
};

/// f(image, row, column) in the order of memory.
template <class F>
void for_each_pixel(const Tile& t, F f) {
  for (Index n = 0; n < t.shape[0]; ++n)
    for (Index h = 0; h < t.shape[1]; ++h)
      for (Index w = 0; w < t.shape[2]; ++w) f(n, h, w);
}

template <class F>
void each_in(const std::vector<Span>& spans, Index i, F f) {
  const Span s = spans[static_cast<std::size_t>(i)];
  for (Index at = s.begin; at < s.end; ++at) f(at);
}

/// Sums over the channels of one pixel, in the thread's scratch memory, put into the pixels of an image one by one.
template <class T>
class Sums {
 public:
  explicit Sums(const Tile& target)
      : channels_(target.shape[3]), pixel_(target), sums_(static_cast<Wide<T>*>(scratch(bytes()))) {
    pixel_.shape = {channels_};
  }

  void clear() {
#pragma omp simd
    for (Index c = 0; c < channels_; ++c) sums_[c] = 0;
  }
  void add(const T* x, Wide<T> weight) {
#pragma omp simd
    for (Index c = 0; c < channels_; ++c) sums_[c] += static_cast<Wide<T>>(x[c]) * weight;
  }
  /// Adds where an index is the given one.
  void add_where(const T* x, const std::int32_t* indices, std::int32_t index) {
#pragma omp simd
    for (Index c = 0; c < channels_; ++c) sums_[c] += indices[c] == index ? static_cast<Wide<T>>(x[c]) : Wide<T>(0);
  }
  /// Stores or adds the sums times `scale` and goes on to the next pixel.
  void put(Wide<T> scale) {
    const Wide<T>* sums = sums_;
    fill_elements<T>(pixel_, [=](Index c) { return sums[c] * scale; });
    pixel_.data = pixel_.template as<T>() + channels_;
  }

 private:
  std::size_t bytes() const { return static_cast<std::size_t>(channels_) * sizeof(Wide<T>); }

  Index channels_;
  Tile pixel_;
  Wide<T>* sums_;
};

}  // namespace pleiad
