#pragma once
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "apps/run/file.hpp"
#include "codelets/base/shape.hpp"

namespace pleiad {

/// One row of progress.
struct Progress {
  Index step = 0;
  double epoch = 0;
  double loss = 0;
  std::optional<double> accuracy = {};  // on the test data, 0..1
  double lr = 0, samples_per_s = 0, step_ms = 0;
  std::optional<double> pred_ms = {};
  double busy = 0;  // share of the workers' time
};

/// What the user sees of a training. A table on a terminal, where rows without a test are written over each other;
/// elsewhere lines with the time, of which those of progress come at most every 10 s.
class Console {
 public:
  struct Options {
    std::FILE* out = stdout;  // stderr with --json
    bool table = false;       // out is a terminal
    bool color = false;
    bool quiet = false;
  };
  explicit Console(Options options) : options_(options) {}

  /// Copies everything to this file from now on (log/rank0.log), with the time.
  void log_to(const std::filesystem::path& file) { log_.emplace(file, OutputFile::Mode::append); }

  /// "data     fashion-mnist: ..."; not printed when quiet.
  void say(std::string_view label, std::string_view text);
  /// Also when quiet: the last line of a run.
  void say_always(std::string_view label, std::string_view text);

  /// `now_s`: seconds of any clock that only goes forward.
  void progress(const Progress& row, double now_s);
  /// Prints the row held back last, if any.
  void end_progress();

 private:
  void print(std::string_view text, bool always);
  void print_row(const Progress& row);
  void print_table_row(const Progress& row);

  Options options_;
  std::optional<OutputFile> log_;
  bool has_header_ = false, has_open_row_ = false;
  double last_line_s_ = -1e9;
  std::optional<Progress> held_back_;
};

/// Whether to colour a stream: mode always | never | auto (a terminal, and NO_COLOR is not set).
bool wants_color(std::string_view mode, std::FILE* stream);
bool is_terminal(std::FILE* stream);

/// 25900 -> "25,900".
std::string with_commas(double number);

}  // namespace pleiad
