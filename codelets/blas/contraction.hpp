#pragma once
#include <array>
#include <span>

#include "codelets/blas/gemm.hpp"
#include "codelets/op.hpp"

namespace pleiad {

/// One loop of a contraction. Strides in elements, inputs first, then the output; 0 where an operand lacks the axis.
struct Loop {
  Index extent = 1;
  std::array<Index, 4> stride{};
};

/// The loops of a contraction of up to three inputs: over the output row-major, then over what is summed, each with
/// extent 1 left out and neighbours that lie alike in every operand joined. Plain data on the stack.
class Contraction {
 public:
  Contraction() = default;
  Contraction(const Signature&, std::span<const Tile>);

  std::span<const Loop> loops() const { return {loops_.data(), size_}; }
  std::size_t inputs() const { return inputs_; }
  Index stride_of_output(const Loop& l) const { return l.stride[inputs_]; }
  bool summed(const Loop& l) const { return stride_of_output(l) == 0; }
  /// The loops without the i-th.
  Contraction without(std::size_t i) const;

 private:
  void append(const Loop&);

  std::array<Loop, 4 * kMaxRank> loops_{};
  std::size_t size_ = 0, inputs_ = 0;
};

/// A two-input contraction as a matrix product inside of further loops.
struct MatrixForm {
  bool exists = false;
  bool swapped = false;  // the second input is A
  Gemm gemm;             // dtype, alpha and accumulate are left to the caller
  Contraction outer;     // the other loops; summed ones last
};
MatrixForm matrix_form(const Contraction&);

}  // namespace pleiad
