#pragma once
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace pleiad {

/// Error (Exit::data) for a failed system call: "cannot write FILE: No space left on device" and what to do about it.
/// Reads errno.
[[noreturn]] void throw_io_error(std::string_view doing, const std::filesystem::path& path);

/// An open file for writing. All members throw Error (Exit::data) on failure.
class OutputFile {
 public:
  enum class Mode { create, append };
  OutputFile() = default;
  OutputFile(std::filesystem::path path, Mode mode);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&& other) noexcept;
  ~OutputFile();

  void write(std::span<const std::byte> bytes);
  /// Appends the text whole or not at all: what a full disk cut off is removed again before the Error is thrown.
  void append_whole(std::string_view text);
  /// Blocks until the contents are on the disk.
  void sync();
  void close();

 private:
  std::filesystem::path path_;
  int fd_ = -1;
};

/// The file has either its old contents or the new ones, whatever happens (temporary name, fsync, rename, fsync of the
/// folder).
void write_file_atomically(const std::filesystem::path& path, std::string_view text);

/// Makes names created in, renamed in or removed from the folder durable.
void sync_directory(const std::filesystem::path& folder);

/// Renames and reports what failed.
void rename_path(const std::filesystem::path& from, const std::filesystem::path& to);

/// Like create_directories, with an Error that says what to do.
void make_directories(const std::filesystem::path& folder);

/// Whole contents of a regular file.
std::string read_file(const std::filesystem::path& path);

}  // namespace pleiad
