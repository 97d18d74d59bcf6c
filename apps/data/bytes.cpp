#include "apps/data/bytes.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>

#include "apps/data/array.hpp"
#include "apps/run/file.hpp"

namespace pleiad {
namespace {

/// Reads plain and gzip files alike.
class GzipFile {
 public:
  explicit GzipFile(const std::filesystem::path& path) : path_(path) {
    errno = EISDIR;
    if (std::filesystem::is_directory(path)) throw_io_error("read", path);
    errno = 0;
    file_ = ::gzopen(path.c_str(), "rb");
    if (!file_) throw_io_error("read", path);
    ::gzbuffer(file_, 1u << 17);
  }
  ~GzipFile() {
    if (file_) ::gzclose(file_);
  }
  GzipFile(const GzipFile&) = delete;
  GzipFile& operator=(const GzipFile&) = delete;

  /// Number of bytes read: less than `count` only at the end.
  std::size_t read(std::byte* out, std::size_t count) {
    const int n = ::gzread(file_, out, static_cast<unsigned>(count));
    if (n < 0) throw_damaged();
    return static_cast<std::size_t>(n);
  }

  /// Error if the file ends in the middle of its compressed data.
  void close() {
    const int status = ::gzclose(file_);
    file_ = nullptr;
    if (status != Z_OK) throw_bad_data(path_.string(), "truncated: its gzip data ends too early\nget the file again");
  }

 private:
  [[noreturn]] void throw_damaged() {
    int error = 0;
    const std::string what = ::gzerror(file_, &error);
    if (error == Z_ERRNO) throw_io_error("read", path_);
    throw_bad_data(path_.string(), fmt::format("damaged gzip data ({})\nget the file again", what));
  }

  std::filesystem::path path_;
  gzFile file_ = nullptr;
};

}  // namespace

std::vector<std::byte> read_bytes(const std::filesystem::path& path) {
  GzipFile file(path);
  std::vector<std::byte> bytes;
  for (std::size_t n = 1, size = 0; n > 0;) {
    bytes.resize(std::max<std::size_t>(1u << 16, size * 2));
    n = file.read(bytes.data() + size, std::min<std::size_t>(bytes.size() - size, 1u << 30));
    size += n;
    if (n == 0) bytes.resize(size);
  }
  file.close();
  return bytes;
}

std::vector<std::byte> peek_bytes(const std::filesystem::path& path, std::size_t count) {
  GzipFile file(path);
  std::vector<std::byte> bytes(count);
  bytes.resize(file.read(bytes.data(), count));
  return bytes;
}

}  // namespace pleiad
