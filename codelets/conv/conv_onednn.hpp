#pragma once
#include "codelets/conv/conv.hpp"

namespace pleiad {

/// Which of its three operands a convolution makes.
enum class ConvPass : std::uint8_t { forward, data, weights };

/// What oneDNN is asked for. `bias`: the forward pass adds b, the pass for the weights makes its gradient.
/// `winograd`: F(4x4, 3x3) of Lavin and Gray 2016, a quarter of the multiplications; rounds a few times worse.
struct ConvProblem {
  ConvPass pass = ConvPass::forward;
  Conv conv;
  bool bias = false, winograd = false;
  bool accumulate = false, accumulate_bias = false;  // the gradient of the bias has a flag of its own

  friend auto operator<=>(const ConvProblem&, const ConvProblem&) = default;
};

/// Borrowed memory; each operand or its gradient, as the pass has it.
struct ConvData {
  void *x = nullptr, *w = nullptr, *y = nullptr, *b = nullptr;
};

/// Whether convolve_onednn can do it fast: f32, or bf16 where the CPU has it; winograd for the shapes that gain by it.
bool onednn_convolves(const ConvProblem&);
/// On the calling thread alone. Primitives are kept by thread; memory that they need is the thread's scratch().
void convolve_onednn(const ConvProblem&, const ConvData&) noexcept;

}  // namespace pleiad
