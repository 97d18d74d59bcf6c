#include "apps/train/tensors.hpp"

#include <cstring>

namespace pleiad {

std::vector<std::byte> read_tensor(const Executor& executor, const Graph& graph, Sym s) {
  const Tensor& t = graph[s];
  std::vector<std::byte> values(static_cast<std::size_t>(t.shape.volume()) * size_of(t.dtype));
  executor.read(s, values);
  return values;
}

double read_scalar(const Executor& executor, const Graph& graph, Sym s) {
  const auto bytes = read_tensor(executor, graph, s);
  return with_dtype(graph[s].dtype, [&]<class T>() {
    T value;
    std::memcpy(&value, bytes.data(), sizeof(T));
    return static_cast<double>(static_cast<Wide<T>>(value));
  });
}

std::vector<std::byte> converted(const std::vector<float>& values, DType dtype) {
  std::vector<std::byte> out(values.size() * size_of(dtype));
  with_dtype(dtype, [&]<class T>() {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const T v = static_cast<T>(values[i]);
      std::memcpy(out.data() + i * sizeof(T), &v, sizeof(T));
    }
  });
  return out;
}

}  // namespace pleiad
