#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codelets/base/error.hpp"
#include "codelets/base/shape.hpp"

namespace pleiad {

enum class Resume { never, automatic, must };
Resume parse_resume(std::string_view text);

/// One process's share of a run.
struct Segment {
  double start = 0, end = 0;  // seconds since 1970; end 0: not ended
  std::string host;
  Index pid = 0;
  Index first_step = 0, last_step = 0;
  std::string stop;  // why it ended: "finished", "TERM", the error
};

/// What run.json says.
struct RunRecord {
  std::string name;
  std::string state = "running";  // running | done | stopped | failed
  std::optional<int> exit_code;
  std::vector<std::string> argv;  // of the last segment
  std::vector<Segment> segments;
};

/// Error (data) if the file is missing or damaged.
RunRecord read_run_record(const std::filesystem::path& run);

/// The folder of a run, locked for this process. Errors are Exit::data where the disk fails.
class RunDirectory {
 public:
  struct Request {
    std::filesystem::path runs;  // where run folders are
    std::string name;            // "": made up
    std::string title;           // start of a made-up name
    Resume resume = Resume::never;
    std::vector<std::string> argv;  // words of the command line
  };

  /// Makes the folder with log/ and ckpt/, or opens it again as `resume` says, and starts a segment. Error (usage) if
  /// it exists and may not be resumed, or if another process trains it; Error (data) if there is nothing to resume
  /// from.
  static RunDirectory open(const Request& request);

  RunDirectory(RunDirectory&& other) noexcept;
  RunDirectory& operator=(RunDirectory&&) = delete;
  ~RunDirectory();

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path checkpoints() const { return path_ / "ckpt"; }
  const RunRecord& record() const { return record_; }
  /// Number of this segment, from 0.
  Index segment() const { return static_cast<Index>(record_.segments.size()) - 1; }
  bool is_resumed() const { return segment() > 0; }

  /// The segment begins with this number of steps done: numbers of later steps move to metrics.rewound.jsonl.
  void begin_at(Index step);

  /// Ends the segment: done for Exit::ok, stopped for Exit::requeue, interrupted and terminated, else failed.
  void finish(Exit exit, Index last_step, std::string_view why);

 private:
  RunDirectory(std::filesystem::path path, int lock, RunRecord record);
  void save() const;

  std::filesystem::path path_;
  int lock_ = -1;
  RunRecord record_;
};

}  // namespace pleiad
