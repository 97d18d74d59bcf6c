#pragma once
#include <array>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

#include "codelets/base/gpu_arguments.h"
#include "codelets/base/tile.hpp"

namespace pleiad {

/// How many groups of how many items run a kernel, in up to three dimensions.
struct GpuGrid {
  std::array<Index, 3> groups{1, 1, 1};
  std::array<int, 3> group_size{256, 1, 1};
};
/// For kernels with a loop over ELEMENTS(i, n).
GpuGrid grid_of_elements(Index n);
/// One group of `group_size` items for each of n rows or outputs.
inline GpuGrid grid_of_groups(Index n, int group_size) { return {{n, 1, 1}, {group_size, 1, 1}}; }

/// Memory of a GPU, as its runtime hands it out (cl_mem, device pointer). Borrowed.
struct GpuMemory {
  void* handle = nullptr;
};

/// One argument of a kernel. A tile or GpuMemory is a `GLOBAL` pointer, an Index an Index, an int or bool an int, a
/// std::uint32_t an unsigned, a double a W; a struct is passed as it is, and borrowed for the call.
class GpuArgument {
 public:
  enum class Kind : std::uint8_t { memory, real, plain };

  GpuArgument(const Tile& t) : GpuArgument(GpuMemory{t.data}) {}
  GpuArgument(GpuMemory m) : kind_(Kind::memory) { keep(m.handle); }
  GpuArgument(double x) : kind_(Kind::real) { keep(x); }
  GpuArgument(bool x) { keep(static_cast<int>(x)); }
  GpuArgument(int x) { keep(x); }
  GpuArgument(std::uint32_t x) { keep(x); }
  GpuArgument(Index x) { keep(x); }
  template <class S>
  requires(std::is_class_v<S>&& std::is_trivially_copyable_v<S>) GpuArgument(const S& s)
      : size_(sizeof s), borrowed_(&s) {}

  Kind kind() const { return kind_; }
  std::size_t size() const { return size_; }
  const void* data() const { return borrowed_ ? borrowed_ : own_.data(); }
  /// Of kind real: use(the number in the type W of kernels for `dtype`).
  template <class F>
  auto as_real(DType dtype, F use) const {
    double x;
    std::memcpy(&x, own_.data(), sizeof x);
    if (dtype == DType::f64) return use(x);
    return dtype == DType::i32 ? use(static_cast<int>(x)) : use(static_cast<float>(x));
  }

 private:
  template <class T>
  void keep(const T& x) {
    static_assert(sizeof x <= sizeof own_);
    size_ = sizeof x;
    std::memcpy(own_.data(), &x, sizeof x);
  }

  Kind kind_ = Kind::plain;
  std::size_t size_ = 0;
  const void* borrowed_ = nullptr;
  alignas(8) std::array<std::byte, 8> own_{};
};

/// Operands of a product on a GPU. `z` also gets what the activation is applied to, if the GpuGemm says so; bias and z
/// may be any memory where they are not used.
struct GpuGemmMemory {
  GpuMemory a, b, bias, y, z;
};

/// Where the kernels of one GPU worker are started; they run one after another. Used by one thread at a time.
class GpuQueue {
 public:
  virtual ~GpuQueue() = default;

  /// Starts a kernel (a name from KERNEL(name)) in the form for tensors of `dtype`. Throws Error (Exit::hardware) with
  /// the compiler's or the driver's words.
  template <class... A>
  void run(std::string_view kernel, DType dtype, const GpuGrid& grid, const A&... arguments) {
    const std::array<GpuArgument, sizeof...(A)> all{GpuArgument(arguments)...};
    start(kernel, dtype, grid, all);
  }
  /// Memory for what one kernel leaves to a later one of the same call; the next call on the queue gets it again.
  virtual GpuMemory scratch(std::size_t bytes) = 0;
  /// Compiles a kernel, so that its first run is not slow. Throws as `run` does.
  virtual void prepare(std::string_view kernel, DType dtype) = 0;
  /// y = alpha A B or y += alpha A B, for a batch, by the vendor's library. False: nothing was done, since there is
  /// none or it cannot. Bias and activation of the GpuGemm are not its affair.
  virtual bool multiply(DType, const GpuGemm&, Index batch, double alpha, const GpuGemmMemory&);

 private:
  virtual void start(std::string_view kernel, DType, const GpuGrid&, std::span<const GpuArgument>) = 0;
};

/// Compiles for another queue what it is asked to start, and starts nothing.
class CompilingQueue final : public GpuQueue {
 public:
  explicit CompilingQueue(GpuQueue& target) : target_(target) {}
  GpuMemory scratch(std::size_t) override { return {}; }
  void prepare(std::string_view kernel, DType dtype) override { target_.prepare(kernel, dtype); }

 private:
  void start(std::string_view kernel, DType dtype, const GpuGrid&, std::span<const GpuArgument>) override {
    target_.prepare(kernel, dtype);
  }
  GpuQueue& target_;
};

}  // namespace pleiad
