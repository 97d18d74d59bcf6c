#include "apps/run/console.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <ctime>

#include "apps/cli/message.hpp"

namespace pleiad {
namespace {

constexpr double kLineInterval_s = 10;
constexpr std::string_view kHeader = "   step   epoch    loss  test acc      lr  samples/s  step ms   (pred)   busy";

/// 1e-3 as "1.0e-3".
std::string scientific(double x) {
  auto text = fmt::format("{:.1e}", x);
  const auto exponent = text.find('e') + 2;
  text.erase(exponent, std::min(text.find_first_not_of('0', exponent), text.size() - 1) - exponent);
  return text.replace(text.find('e'), 2, text.find("e+") != std::string::npos ? "e" : "e-");
}

std::string accuracy_of(const Progress& row) {
  return row.accuracy ? fmt::format("{:.1f} %", *row.accuracy * 100) : "";
}
std::string prediction_of(const Progress& row) { return row.pred_ms ? fmt::format("({:.2f})", *row.pred_ms) : ""; }

std::string table_row(const Progress& row) {
  return fmt::format("{:7} {:7.2f} {:7.4f} {:>9} {:>7} {:>10} {:8.2f} {:>8} {:>6}", row.step, row.epoch, row.loss,
                     accuracy_of(row), scientific(row.lr), with_commas(row.samples_per_s), row.step_ms,
                     prediction_of(row), fmt::format("{:.0f} %", row.busy * 100));
}

std::string line(const Progress& row) {
  return fmt::format("{:<8}  epoch {:.2f}  loss {:.4f}{}  lr {}  {} samples/s  {:.2f} ms {}  busy {:.0f} %", row.step,
                     row.epoch, row.loss, row.accuracy ? fmt::format("  test acc {}", accuracy_of(row)) : "",
                     scientific(row.lr), with_commas(row.samples_per_s), row.step_ms, prediction_of(row),
                     row.busy * 100);
}

/// Every line of the text behind the time of day.
std::string with_time(std::string_view text) {
  const auto time = fmt::format("{:%H:%M:%S} ", fmt::localtime(std::time(nullptr)));
  std::string result;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size() - 1);
    result += time;
    result += text.substr(0, end + 1);
    text.remove_prefix(end + 1);
  }
  return result;
}

}  // namespace

std::string with_commas(double number) {
  auto text = fmt::format("{:.0f}", number);
  if (!std::isfinite(number)) return text;
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > (number < 0 ? 1 : 0); at -= 3)
    text.insert(static_cast<std::size_t>(at), ",");
  return text;
}

bool is_terminal(std::FILE* stream) { return ::isatty(::fileno(stream)) == 1; }

bool wants_color(std::string_view mode, std::FILE* stream) {
  const char* no_color = std::getenv("NO_COLOR");
  return mode == "always" || (mode == "auto" && is_terminal(stream) && !(no_color && *no_color));
}

void Console::say(std::string_view label, std::string_view text) { print(labelled(label, text), false); }
void Console::say_always(std::string_view label, std::string_view text) { print(labelled(label, text), true); }

void Console::print(std::string_view text, bool always) {
  const auto timed = with_time(text);
  if (log_) log_->append_whole(timed);
  if (options_.quiet && !always) return;
  if (has_open_row_) std::fputc('\n', options_.out);
  has_open_row_ = false;
  const std::string plain(text);
  std::fputs((options_.table ? plain : timed).c_str(), options_.out);
  std::fflush(options_.out);
}

void Console::progress(const Progress& row, double now_s) {
  if (options_.table && !options_.quiet) print_table_row(row);
  held_back_ = row;
  if (now_s - last_line_s_ < kLineInterval_s) return;
  last_line_s_ = now_s;
  end_progress();
}

void Console::end_progress() {
  if (held_back_) print_row(*held_back_);
  held_back_.reset();
}

/// The line for logs; on a terminal the table shows it already.
void Console::print_row(const Progress& row) {
  const auto text = labelled("step", line(row));
  if (!options_.table) return print(text, false);
  if (log_) log_->append_whole(with_time(text));
}

void Console::print_table_row(const Progress& row) {
  const auto [bold, plain] = options_.color ? std::pair("\x1b[1m", "\x1b[0m") : std::pair("", "");
  if (!has_header_) fmt::print(options_.out, "\n{}{}{}\n", bold, kHeader, plain);
  has_header_ = true;
  fmt::print(options_.out, "{}{}{}", has_open_row_ ? "\r\x1b[K" : "", table_row(row), row.accuracy ? "\n" : "");
  has_open_row_ = !row.accuracy;
  std::fflush(options_.out);
}

}  // namespace pleiad
