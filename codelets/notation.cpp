#include "codelets/notation.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

namespace pleiad {
namespace {

constexpr std::size_t kMaxOperands = std::tuple_size_v<decltype(Op::operands)>;

/// One operand as written: "&...ab" is head "", tail "ab", with dots, updated.
struct Written {
  std::string_view head, tail;
  bool dots = false, update = false, output = false;

  std::size_t letters() const { return head.size() + tail.size(); }
};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char other_case(char c) { return static_cast<char>(std::islower(c) ? std::toupper(c) : std::tolower(c)); }
std::string quoted(std::string_view text) { return std::string("'").append(text).append("'"); }

class Parser {
 public:
  Parser(std::string_view notation, std::span<const std::size_t> ranks, const std::string& context,
         const std::function<std::string(std::size_t)>& name)
      : notation_(notation), ranks_(ranks), context_(context), name_(name) {}

  Signature parse() {
    split();
    count_inputs();
    find_dots();
    Signature s;
    for (std::size_t i = 0; i < written_.size(); ++i) s.operands.push_back(expand(i));
    for (const OperandAxes& o : s.operands)
      for (char a : o.axes) add_axis(s.axes, a);
    return s;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw ShapeError(context_ + what + "; the notation is " + quoted(notation_));
  }

  void split() {
    const auto arrow = notation_.find("->");
    if (arrow == notation_.npos) fail("a notation needs '->' between inputs and outputs");
    const auto inputs = notation_.substr(0, arrow), outputs = notation_.substr(arrow + 2);
    // Nothing left of the arrow is no input or one scalar: the call tells. Nothing right of it is no output if the op
    // updates an operand, else one scalar.
    if (!inputs.empty() || !ranks_.empty()) split_side(inputs, false);
    if (!outputs.empty() || inputs.find('&') == inputs.npos) split_side(outputs, true);
    if (written_.size() > kMaxOperands) fail("an op has at most " + std::to_string(kMaxOperands) + " operands");
  }

  void split_side(std::string_view side, bool output) {
    for (std::size_t at = 0; at <= side.size();) {
      const auto end = std::min(side.find(',', at), side.size());
      written_.push_back(read_operand(side.substr(at, end - at), output));
      at = end + 1;
    }
  }

  Written read_operand(std::string_view text, bool output) const {
    Written w{.head = text, .tail = {}, .output = output};
    if (text.starts_with('&')) {
      if (output) fail("only an input may be marked with '&'");
      w.update = true;
      w.head.remove_prefix(1);
    }
    const auto dots = w.head.find("...");
    if (dots != w.head.npos) {
      w.dots = true;
      w.tail = w.head.substr(dots + 3);
      w.head = w.head.substr(0, dots);
    }
    for (std::string_view part : {w.head, w.tail})
      for (char c : part)
        if (!is_letter(c))
          fail("an axis is a letter, not " + quoted({&c, 1}) + ", and '...' stands once in an operand");
    return w;
  }

  void count_inputs() const {
    const auto inputs =
        static_cast<std::size_t>(std::count_if(written_.begin(), written_.end(), [](auto& w) { return !w.output; }));
    if (inputs != ranks_.size())
      fail("takes " + std::to_string(inputs) + " inputs, not " + std::to_string(ranks_.size()));
  }

  /// Checks ranks and finds how many axes `...` stands for.
  void find_dots() {
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      const Written& w = written_[i];
      const bool fits = w.dots ? ranks_[i] >= w.letters() : ranks_[i] == w.letters();
      if (!fits) fail_rank(i, (w.dots ? "at least " : "") + std::to_string(w.letters()));
      if (!w.dots) continue;
      const auto dots = ranks_[i] - w.letters();
      if (!dots_) {
        dots_ = dots;
        first_dots_ = i;
      }
      if (dots != *dots_)
        fail_rank(i, std::to_string(*dots_ + w.letters()) + ", since '...' is " + std::to_string(*dots_) + " axes in " +
                         name_(first_dots_));
    }
  }

  [[noreturn]] void fail_rank(std::size_t i, const std::string& wanted) const {
    fail(name_(i) + " has rank " + std::to_string(ranks_[i]) + ", not " + wanted);
  }

  OperandAxes expand(std::size_t i) const {
    const Written& w = written_[i];
    OperandAxes o{.axes = std::string(w.head), .update = w.update, .output = w.output};
    if (w.dots) {
      if (!dots_) fail("'...' of an output stands for what it is in the inputs, and no input has it");
      for (std::size_t d = 0; d < *dots_; ++d) o.axes += static_cast<char>('0' + d);
    }
    o.axes += w.tail;
    if (o.axes.size() > kMaxRank) fail(name_(i) + " has more than " + std::to_string(kMaxRank) + " axes");
    for (char a : o.axes)
      if (std::count(o.axes.begin(), o.axes.end(), a) > 1) fail(name_(i) + " has axis " + quoted({&a, 1}) + " twice");
    return o;
  }

  void add_axis(std::string& axes, char a) const {
    if (axes.find(a) == axes.npos) axes += a;
    if (is_letter(a) && axes.find(other_case(a)) != axes.npos)
      fail("axis " + quoted({&a, 1}) + " is in both cases: it may either be cut or not");
  }

  std::string_view notation_;
  std::span<const std::size_t> ranks_;
  const std::string& context_;
  const std::function<std::string(std::size_t)>& name_;
  std::vector<Written> written_;
  std::optional<std::size_t> dots_;  // number of axes that `...` stands for
  std::size_t first_dots_ = 0;       // the operand that says so
};

}  // namespace

Signature parse_notation(std::string_view notation, std::span<const std::size_t> input_ranks,
                         const std::string& context, const std::function<std::string(std::size_t)>& operand_name) {
  return Parser(notation, input_ranks, context, operand_name).parse();
}

Signature parse_notation(std::string_view notation, std::span<const std::size_t> input_ranks) {
  return parse_notation(notation, input_ranks, {}, [](std::size_t i) { return "operand " + std::to_string(i); });
}

}  // namespace pleiad
