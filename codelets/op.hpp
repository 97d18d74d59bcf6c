#pragma once
#include <array>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "codelets/base/error.hpp"
#include "codelets/base/text.hpp"
#include "codelets/base/tile.hpp"

namespace pleiad {

/// Attributes of one call of an op: its notation, where that is not fixed by the op, and a small struct of the op's
/// own. Trivially copyable, so a task graph is plain data.
class Attrs {
 public:
  Text<48> axes;
  DType dtype = DType::f32;  // of operands whose element type is `attribute`

  Attrs() = default;
  explicit Attrs(std::string_view notation) : axes(notation) {}
  template <class T>
  static Attrs of(const T& values, std::string_view notation = {}) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= kBytes);
    Attrs a(notation);
    std::memcpy(a.bytes_.data(), &values, sizeof(T));
    return a;
  }
  template <class T>
  T as() const {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= kBytes);
    T values;
    std::memcpy(&values, bytes_.data(), sizeof(T));
    return values;
  }

 private:
  static constexpr std::size_t kBytes = 64;
  std::array<std::byte, kBytes> bytes_{};
};

/// What changes from step to step while the task graph stays as recorded. `number` counts from 1 (bias correction).
struct Step {
  Index number = 1;
  double lr = 0;
  std::uint64_t seed = 0;
};

/// Axes of one operand ("btc"), and how it is used: `update` = read and written in place.
struct OperandAxes {
  std::string axes;
  bool update = false, output = false;
};

/// A parsed notation: `...` already expanded to the axes '0', '1', ... An upper-case axis is whole in one tile, a
/// lower-case one may be cut. `axes` is the iteration space in order of first appearance: the order of accumulation.
struct Signature {
  std::vector<OperandAxes> operands;
  std::string axes;

  std::size_t inputs() const;  // operands that are not outputs, updates included
  static bool whole(char axis) { return axis >= 'A' && axis <= 'Z'; }
  /// Axes of the iteration space that operand `i`, an output, does not have: its tiles accumulate over them.
  std::string reduced(std::size_t i) const;
};
/// Parses "&...,...->..." for inputs of the given ranks. Throws ShapeError naming the notation and what is wrong.
Signature parse_notation(std::string_view notation, std::span<const std::size_t> input_ranks);

/// One execution of a kernel: operands in the order of the notation, inputs first.
struct Call {
  std::span<const Tile> tiles;
  const Attrs& attrs;
  const Signature& signature;
  Step step;
  void* stream = nullptr;  // GpuQueue on GPUs

  const Tile& operator[](std::size_t i) const { return tiles[i]; }
};

enum class Device : std::uint8_t { cpu, gpu };

/// One implementation of an op. `fits` is asked with null data pointers before `run` may be used; null: fits always.
struct Impl {
  Device device = Device::cpu;
  const char* name = nullptr;
  void (*run)(const Call&) noexcept = nullptr;
  bool (*fits)(const Call&) = nullptr;
};

/// Fastest first, a plain reference (`ref`) for CPUs last; unused ones have no `run`.
using Impls = std::array<Impl, 8>;

/// How an operand's element type follows from the call's compute type (that of the first `same` input).
enum class Element : std::uint8_t {
  same,       // the compute type itself
  wide,       // the type sums are kept in: f32 for bf16
  index,      // i32: class ids and counts; a negative id means "ignore"
  attribute,  // Attrs::dtype
};
struct Operand {
  const char* name = nullptr;
  Element element = Element::same;
};
using OperandList = std::array<Operand, 12>;

/// Work of one call: floating-point operations and bytes moved to and from memory at least.
struct Cost {
  double flops = 0, bytes = 0;
};

/// A tensor of the graph under construction.
struct Sym {
  int id = -1;
  friend bool operator==(Sym, Sym) = default;
};

struct Op;

/// What a gradient rule may do; implemented by graph/. A rule only says which ops to call and never touches data.
class Grad {
 public:
  virtual ~Grad() = default;
  virtual Sym x(int i) = 0;       // i-th input of the forward call
  virtual Sym y(int i = 0) = 0;   // i-th output of the forward call
  virtual Sym dy(int i = 0) = 0;  // gradient of the i-th output; a zero tensor if nobody used it
  virtual bool unit_dy() = 0;     // dy(0) is the constant 1: output 0 is the loss itself
  virtual bool wants(int i) = 0;  // whether anybody needs the gradient of input i
  virtual void dx(int i, Sym gradient) = 0;
  virtual const Attrs& attrs() = 0;
  virtual const Signature& signature() = 0;
  virtual Shape shape(Sym) = 0;
  virtual DType dtype(Sym) = 0;
  virtual std::vector<Sym> call(const Op&, const std::vector<Sym>& inputs, const Attrs& = {}) = 0;
};

/// What values a sample input takes, so that the generic tests stay where the op is defined and smooth.
enum class Domain : std::uint8_t {
  normal,     // standard normal
  positive,   // in (0.5, 2)
  separated,  // normal, but at least 0.1 away from 0: kinks at 0 do not disturb finite differences
  ids,        // i32 in [-1, 3): class ids, some ignored
};
/// Small inputs that drive the generic tests, calibration and benchmarks. `domains` shorter than inputs: normal.
struct Sample {
  std::vector<Shape> inputs;
  Attrs attrs;
  std::vector<Domain> domains;
  /// Sets the inputs that follow from others (statistics of x). Their gradient is part of that of the others.
  void (*derive)(std::span<const Tile> inputs) = nullptr;
};

/// The one declaration of an op. See CONTRIBUTING.md for how to add one.
struct Op {
  std::string_view name;       // PyTorch's word; file, symbol, codelet, model, trace label and test
  std::string_view axes;       // notation; empty: given by Attrs::axes of each call
  OperandList operands{};      // in the order of the notation
  double flops = 1;            // per point of the axes in `over`
  std::string_view over = {};  // axes that cost ("...c"); empty: the whole iteration space
  /// Extent of an axis that only outputs have.
  Index (*extent)(char axis, std::span<const Shape> inputs, const Attrs&) = nullptr;
  /// Op that merges partial outputs where that is not `add`; takes all outputs of one side, then of the other.
  const Op* combine = nullptr;
  /// True if tiles that lie so contribute nothing; data is null.
  bool (*empty)(std::span<const Tile>, const Attrs&) = nullptr;
  void (*grad)(Grad&) = nullptr;  // null: not differentiable
  Impls impls{};
  std::vector<Sample> (*samples)() = nullptr;

  std::span<const Impl> implementations() const;
  std::string_view notation(const Attrs& a) const { return axes.empty() ? a.axes.view() : axes; }
};

/// Signature of a call; throws ShapeError naming op, operand, both values and the rule if the inputs do not fit.
Signature signature_of(const Op&, const Attrs&, std::span<const Shape> inputs);
/// Shape of operand `i` (an output) of a call whose inputs have these shapes.
Shape output_shape(const Op&, const Attrs&, const Signature&, std::span<const Shape> inputs, std::size_t i);
/// Element type of operand `i` when the call computes in `compute`.
DType element_type(const Op&, const Attrs&, std::size_t i, DType compute);
/// Work of a call on these tiles (data may be null).
Cost cost_of(const Op&, const Signature&, std::span<const Tile>);
/// Extent of an axis in the tiles of a call / in the logical tensors they belong to.
Index axis_extent(char axis, const Signature&, std::span<const Tile>);
Index whole_extent(char axis, const Signature&, std::span<const Tile>);

}  // namespace pleiad
