#pragma once
#include <functional>
#include <string>
#include <string_view>

namespace pleiad {

/// "noun     sentence": the label in 8 columns, further lines of the text below its first. Ends with a newline.
std::string labelled(std::string_view label, std::string_view text);

/// Runs the body of the program and returns its exit code; an exception becomes a message on stderr and its exit code.
int exit_code_of(const std::function<int()>& body);

}  // namespace pleiad
