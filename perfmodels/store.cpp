#include "perfmodels/store.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace pleiad {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;
constexpr int kVersion = 1;

KernelTime time_from(const json& j) {
  const KernelTime t{j.at("median_us"), j.at("mad_us"), j.at("samples")};
  if (!(t.median_us > 0) || !std::isfinite(t.median_us) || !(t.mad_us >= 0) || t.samples < 1)
    throw std::runtime_error("a time is not a positive number");
  return t;
}

KernelTimes::Table table_from(const std::string& text) {
  const json j = json::parse(text);
  if (j.at("version") != kVersion) throw std::runtime_error("it has another version");
  KernelTimes::Table table;
  for (const auto& [key, impls] : j.at("kernels").items())
    for (const auto& [impl, time] : impls.items()) table[key][impl] = time_from(time);
  return table;
}

std::string text_of(const KernelTimes::Table& table) {
  json kernels = json::object();
  for (const auto& [key, impls] : table)
    for (const auto& [impl, t] : impls)
      kernels[key][impl] = {{"median_us", t.median_us}, {"mad_us", t.mad_us}, {"samples", t.samples}};
  return json{{"version", kVersion}, {"kernels", kernels}}.dump(1);
}

/// The table in a file, empty if there is none. A damaged one is renamed, and `note` says so.
KernelTimes::Table read_table(const std::string& file, std::string& note) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return {};
  std::stringstream text;
  text << in.rdbuf();
  try {
    return table_from(text.str());
  } catch (const std::exception& e) {
    std::error_code failed;
    fs::rename(file, file + ".damaged", failed);
    note = "kernel times cannot be read (" + std::string(e.what()) + ") and were set aside as " + file + ".damaged";
    return {};
  }
}

/// Holds a lock among processes while it lives. Where the file system has no locks, the last writer wins.
class FileLock {
 public:
  explicit FileLock(const std::string& file) : descriptor_(open(file.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644)) {
    while (descriptor_ >= 0 && flock(descriptor_, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  ~FileLock() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int descriptor_;
};

[[noreturn]] void cannot_write(const std::string& file) {
  const std::string why = std::strerror(errno);
  throw Error(Exit::internal, "kernel times cannot be written: " + file + ": " + why +
                                  "\nset PLEIAD_HOME to a folder that can be written");
}

void write_all(int descriptor, const std::string& text, const std::string& file) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = write(descriptor, text.data() + done, text.size() - done);
    if (n < 0 && errno != EINTR) cannot_write(file);
    if (n > 0) done += static_cast<std::size_t>(n);
  }
}

void replace_file(const std::string& file, const std::string& text) {
  std::string temporary = file + ".XXXXXX";
  const int descriptor = mkostemp(temporary.data(), O_CLOEXEC);
  if (descriptor < 0) cannot_write(file);
  try {
    write_all(descriptor, text, file);
    if (fsync(descriptor) != 0 || rename(temporary.c_str(), file.c_str()) != 0) cannot_write(file);
  } catch (...) {
    close(descriptor);
    unlink(temporary.c_str());
    throw;
  }
  close(descriptor);
}

}  // namespace

KernelTimes::KernelTimes(std::string file) : file_(std::move(file)) {}

void KernelTimes::load() {
  note_.clear();
  fresh_.clear();
  times_ = file_.empty() ? Table{} : read_table(file_, note_);
}

void KernelTimes::save() const {
  if (file_.empty() || fresh_.empty()) return;
  std::error_code failed;
  if (const fs::path folder = fs::path(file_).parent_path(); !folder.empty()) fs::create_directories(folder, failed);
  const FileLock lock(file_ + ".lock");
  std::string note;
  Table table = read_table(file_, note);
  for (const auto& [key, impls] : fresh_)
    for (const auto& [impl, time] : impls) table[key][impl] = time;
  replace_file(file_, text_of(table));
}

std::optional<KernelTime> KernelTimes::find(const std::string& key, const std::string& impl) const {
  const auto impls = times_.find(key);
  if (impls == times_.end()) return {};
  const auto time = impls->second.find(impl);
  return time == impls->second.end() ? std::nullopt : std::optional(time->second);
}

void KernelTimes::set(const std::string& key, const std::string& impl, const KernelTime& time) {
  times_[key][impl] = time;
  fresh_[key][impl] = time;
}

std::size_t KernelTimes::size() const {
  std::size_t n = 0;
  for (const auto& [key, impls] : times_) n += impls.size();
  return n;
}

}  // namespace pleiad
