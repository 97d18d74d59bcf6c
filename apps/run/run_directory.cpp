#include "apps/run/run_directory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <utility>

#include "apps/run/file.hpp"
#include "apps/run/metrics.hpp"
#include "apps/run/name.hpp"
#include "apps/run/run_record.hpp"

namespace pleiad {
namespace {

namespace fs = std::filesystem;

double now_s() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

/// Locks the folder until the descriptor is closed. File systems without locks are trusted.
int lock_folder(const fs::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) throw_io_error("open", path);
  if (::flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return fd;
  ::close(fd);
  throw Error(
      Exit::usage,
      fmt::format("run {} is being trained by another process\nwait for it, or choose another --name", path.string()));
}

/// False if the folder exists already. Creating is what claims a name.
bool create_folder(const fs::path& path) {
  if (::mkdir(path.c_str(), 0755) == 0) return true;
  if (errno != EEXIST) throw_io_error("create folder", path);
  return false;
}

fs::path create_with_made_up_name(const RunDirectory::Request& request) {
  for (int tries = 0; tries < 1000; ++tries) {
    const auto path = request.runs / made_up_run_name(request.title);
    if (create_folder(path)) return path;
  }
  throw Error(Exit::usage, "no free run name for today\nchoose one with --name");
}

[[noreturn]] void refuse(const fs::path& path, const RunRecord& record) {
  throw Error(Exit::usage,
              fmt::format("run {} exists already and is {}\n{} --resume auto\nor begin another one: --name OTHER",
                          path.string(), record.state == "done" ? "finished" : "not finished",
                          record.state == "done" ? "train it further:" : "go on with it:"));
}

/// Record of a run that is there already, after checking that it may be opened.
RunRecord existing_record(const fs::path& path, Resume resume) {
  if (!fs::exists(path / "run.json") && !fs::is_empty(path) && !fs::exists(path / "ckpt"))
    throw Error(Exit::usage, fmt::format("{} exists already and is no run\nchoose another --name", path.string()));
  if (!fs::exists(path / "run.json")) return {};  // killed while it was made
  auto record = read_run_record(path);
  if (resume == Resume::never) refuse(path, record);
  return record;
}

void check_must(const RunDirectory::Request& request, const fs::path& path) {
  if (request.resume != Resume::must || fs::exists(path / "ckpt" / "LATEST")) return;
  throw Error(Exit::data, fmt::format("--resume must: {} has no checkpoint\n--resume auto begins where there is none",
                                      path.string()));
}

std::string state_after(Exit exit) {
  switch (exit) {
    case Exit::ok:
      return "done";
    case Exit::requeue:
    case Exit::interrupted:
    case Exit::terminated:
      return "stopped";
    default:
      return "failed";
  }
}

}  // namespace

Resume parse_resume(std::string_view text) {
  return text == "auto" ? Resume::automatic : text == "must" ? Resume::must : Resume::never;
}

RunDirectory RunDirectory::open(const Request& request) {
  if (request.name.empty() && request.resume != Resume::never)
    throw Error(Exit::usage, "--resume needs the name of the run\n--name NAME");
  if (!request.name.empty()) check_run_name(request.name);
  auto path = request.runs / request.name;
  check_must(request, path);
  make_directories(request.runs);
  RunRecord record;
  bool is_new = true;
  if (request.name.empty())
    path = create_with_made_up_name(request);
  else
    is_new = create_folder(path);
  const int lock = lock_folder(path);
  try {
    if (!is_new) record = existing_record(path, request.resume);
    record.name = path.filename().string();
    record.argv = request.argv;
    return {path, lock, std::move(record)};
  } catch (...) {
    ::close(lock);
    throw;
  }
}

RunDirectory::RunDirectory(fs::path path, int lock, RunRecord record)
    : path_(std::move(path)), record_(std::move(record)) {
  make_directories(path_ / "log");
  make_directories(path_ / "ckpt");
  record_.state = "running";
  record_.exit_code.reset();
  record_.segments.push_back({.start = now_s(), .host = host_name(), .pid = ::getpid(), .stop = ""});
  save();
  lock_ = lock;
}

RunDirectory::RunDirectory(RunDirectory&& other) noexcept
    : path_(std::move(other.path_)), lock_(std::exchange(other.lock_, -1)), record_(std::move(other.record_)) {}

RunDirectory::~RunDirectory() {
  if (lock_ >= 0) ::close(lock_);
}

void RunDirectory::save() const { write_run_record(path_, record_); }

void RunDirectory::begin_at(Index step) {
  rewind_metrics(path_, step);
  auto& segment = record_.segments.back();
  segment.first_step = segment.last_step = step;
  save();
}

void RunDirectory::finish(Exit exit, Index last_step, std::string_view why) {
  auto& segment = record_.segments.back();
  segment.end = now_s();
  segment.last_step = last_step;
  segment.stop = why;
  record_.state = state_after(exit);
  record_.exit_code = static_cast<int>(exit);
  save();
}

}  // namespace pleiad
