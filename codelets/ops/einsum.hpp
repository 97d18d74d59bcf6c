#pragma once
#include <initializer_list>

#include "codelets/op.hpp"

namespace pleiad {

/// Contraction of one to three inputs, sums included, in the notation of its attributes ("btc,cgrd->btgrd"): every axis
/// that the output lacks is summed. An axis that only the output has repeats it, and needs an extent.
extern const Op einsum;

struct EinsumAttrs {
  Text<8> mean;                           // axes whose logical extents divide the result; "..." stands for all of `...`
  std::array<char, 8> axes{};             // axes that only the output has, ...
  std::array<std::int32_t, 8> extents{};  // ... and their logical extents
};
Attrs einsum_attrs(std::string_view notation, std::string_view mean = {},
                   std::initializer_list<std::pair<char, Index>> extents = {});

/// The axes of every operand as letters, for the notation of a gradient: an axis that `...` stood for gets a letter
/// that the signature does not use. `letters` maps further text ("..." or axes) the same way.
class LetterAxes {
 public:
  explicit LetterAxes(const Signature&);
  const std::string& operator[](std::size_t operand) const { return operands_[operand]; }
  std::string letters(std::string_view text) const;

 private:
  std::string dots_;  // the letters of axes '0', '1', ...
  std::vector<std::string> operands_;
};

}  // namespace pleiad
