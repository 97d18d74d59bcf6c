#pragma once
#include "codelets/conv/conv.hpp"
#include "codelets/kernel.hpp"

// Convolutions by plain loops.

namespace pleiad {

/// One element of y, without bias.
template <class T>
Wide<T> convolved(const Conv& v, const Tile& x, const Tile& w, Index n, Index p, Index q, Index k) {
  const Index first = k / v.group_out() * v.group_in();
  Wide<T> sum = 0;
  for (Index r = 0; r < v.rows.kernel; ++r)
    for (Index s = 0; s < v.cols.kernel; ++s) {
      const Index row = v.rows.row(p, r), col = v.cols.row(q, s);
      if (!v.rows.inside(row) || !v.cols.inside(col)) continue;
      const Index at = v.x_at(n, row, col) + first;
      for (Index c = 0; c < v.group_in(); ++c) sum += get<T>(x, at + c) * get<T>(w, v.w_at(k, c, r, s));
    }
  return sum;
}

/// One element of the gradient of x.
template <class T>
Wide<T> convolved_back(const Conv& v, const Tile& dy, const Tile& w, Index n, Index row, Index col, Index c) {
  const Index first = c / v.group_in() * v.group_out();
  Wide<T> sum = 0;
  for (Index r = 0; r < v.rows.kernel; ++r)
    for (Index s = 0; s < v.cols.kernel; ++s) {
      const Index p = v.rows.place(row, r), q = v.cols.place(col, s);
      if (p < 0 || q < 0) continue;
      for (Index k = first; k < first + v.group_out(); ++k)
        sum += get<T>(dy, v.y_at(n, p, q) + k) * get<T>(w, v.w_at(k, c % v.group_in(), r, s));
    }
  return sum;
}

/// One element of the gradient of w.
template <class T>
Wide<T> correlated(const Conv& v, const Tile& dy, const Tile& x, Index k, Index c, Index r, Index s) {
  const Index channel = k / v.group_out() * v.group_in() + c;
  Wide<T> sum = 0;
  for (Index n = 0; n < v.batch; ++n)
    for (Index p = 0; p < v.rows.out; ++p)
      for (Index q = 0; q < v.cols.out; ++q) {
        const Index row = v.rows.row(p, r), col = v.cols.row(q, s);
        if (!v.rows.inside(row) || !v.cols.inside(col)) continue;
        sum += get<T>(dy, v.y_at(n, p, q) + k) * get<T>(x, v.x_at(n, row, col) + channel);
      }
  return sum;
}

/// y = finish(x * w, output channel).
template <class T, class F>
void convolve(const Conv& v, const Tile& x, const Tile& w, const Tile& y, F finish) noexcept {
  Index i = 0;
  for (Index n = 0; n < v.batch; ++n)
    for (Index p = 0; p < v.rows.out; ++p)
      for (Index q = 0; q < v.cols.out; ++q)
        for (Index k = 0; k < v.out; ++k) put<T>(y, i++, finish(convolved<T>(v, x, w, n, p, q, k), k));
}

template <class T>
void convolve_back(const Conv& v, const Tile& dy, const Tile& w, const Tile& dx) noexcept {
  Index i = 0;
  for (Index n = 0; n < v.batch; ++n)
    for (Index row = 0; row < v.rows.in; ++row)
      for (Index col = 0; col < v.cols.in; ++col)
        for (Index c = 0; c < v.in; ++c) put<T>(dx, i++, convolved_back<T>(v, dy, w, n, row, col, c));
}

template <class T>
void correlate(const Conv& v, const Tile& dy, const Tile& x, const Tile& dw) noexcept {
  Index i = 0;
  for (Index k = 0; k < v.out; ++k)
    for (Index c = 0; c < v.group_in(); ++c)
      for (Index r = 0; r < v.rows.kernel; ++r)
        for (Index s = 0; s < v.cols.kernel; ++s) put<T>(dw, i++, correlated<T>(v, dy, x, k, c, r, s));
}

}  // namespace pleiad
