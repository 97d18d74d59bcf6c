#pragma once
#include <cstddef>
#include <vector>

namespace pleiad {

// Tensors, nodes, buffers and tasks are numbered by int (-1: none); these reach into the vectors that hold them.

template <class T>
const T& at(const std::vector<T>& v, int i) {
  return v[static_cast<std::size_t>(i)];
}
template <class T>
T& at(std::vector<T>& v, int i) {
  return v[static_cast<std::size_t>(i)];
}
template <class T>
int count(const std::vector<T>& v) {
  return static_cast<int>(v.size());
}

}  // namespace pleiad
