#pragma once
#include <functional>

#include "codelets/op.hpp"

namespace pleiad {

/// parse_notation with operands called by `operand_name`, and messages that start with `context` ("linear: ").
Signature parse_notation(std::string_view notation, std::span<const std::size_t> input_ranks,
                         const std::string& context, const std::function<std::string(std::size_t)>& operand_name);

}  // namespace pleiad
