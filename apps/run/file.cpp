#include "apps/run/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>

#include "codelets/base/error.hpp"

namespace pleiad {
namespace {

std::string_view advice(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return "\nfree some space there, or choose another disk with --runs DIR";
    case EACCES:
    case EPERM:
    case EROFS:
      return "\nmake it accessible, or choose another folder with --runs DIR";
    case EMFILE:
      return "\nraise the limit of open files (ulimit -n)";
    default:
      return "";
  }
}

int open_or_throw(const std::filesystem::path& path, int flags) {
  const int fd = ::open(path.c_str(), flags | O_CLOEXEC, 0644);
  if (fd < 0) throw_io_error("open", path);
  return fd;
}

/// Number of bytes written before the first failure; errno tells which.
std::size_t write_until_failure(int fd, std::span<const std::byte> bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const auto n = ::write(fd, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) break;
    done += static_cast<std::size_t>(n);
  }
  return done;
}

}  // namespace

void throw_io_error(std::string_view doing, const std::filesystem::path& path) {
  const int error = errno;
  throw Error(Exit::data, fmt::format("cannot {} {}: {}{}", doing, path.string(), std::strerror(error), advice(error)));
}

OutputFile::OutputFile(std::filesystem::path path, Mode mode)
    : path_(std::move(path)),
      fd_(open_or_throw(path_, O_WRONLY | O_CREAT | (mode == Mode::append ? O_APPEND : O_TRUNC))) {}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)) {}

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(fd_, other.fd_);
  return *this;
}

OutputFile::~OutputFile() {
  if (fd_ >= 0) ::close(fd_);
}

void OutputFile::write(std::span<const std::byte> bytes) {
  if (write_until_failure(fd_, bytes) < bytes.size()) throw_io_error("write", path_);
}

void OutputFile::append_whole(std::string_view text) {
  const auto end = ::lseek(fd_, 0, SEEK_END);
  if (write_until_failure(fd_, std::as_bytes(std::span(text))) == text.size()) return;
  const int error = errno;
  const bool restored = ::ftruncate(fd_, end) == 0;
  errno = error;
  throw_io_error(restored ? "write" : "write whole lines to", path_);
}

void OutputFile::sync() {
  if (::fsync(fd_) != 0) throw_io_error("write", path_);
}

void OutputFile::close() {
  if (::close(std::exchange(fd_, -1)) != 0) throw_io_error("write", path_);
}

void write_file_atomically(const std::filesystem::path& path, std::string_view text) {
  const auto temporary = path.parent_path() / fmt::format(".{}.{}.tmp", path.filename().string(), ::getpid());
  try {
    OutputFile file(temporary, OutputFile::Mode::create);
    file.write(std::as_bytes(std::span(text)));
    file.sync();
    file.close();
    rename_path(temporary, path);
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
  sync_directory(path.parent_path());
}

void sync_directory(const std::filesystem::path& folder) {
  const int fd = open_or_throw(folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY);
  const bool failed = ::fsync(fd) != 0 && errno != EINVAL;  // EINVAL: a file system that cannot sync folders
  const int error = errno;
  ::close(fd);
  errno = error;
  if (failed) throw_io_error("write", folder);
}

void rename_path(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) throw_io_error("write", to);
}

void make_directories(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error) return;
  errno = error.value();
  throw_io_error("create folder", folder);
}

std::string read_file(const std::filesystem::path& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) throw_io_error("read", path);
  errno = EISDIR;
  if (S_ISDIR(info.st_mode)) throw_io_error("read", path);
  std::ifstream in(path, std::ios::binary);
  if (!in) throw_io_error("read", path);
  std::string text(static_cast<std::size_t>(info.st_size), '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad()) throw_io_error("read", path);
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

}  // namespace pleiad
