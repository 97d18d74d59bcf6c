#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "apps/run/file.hpp"

struct XXH3_state_s;

namespace pleiad {

/// What a file must hold to be whole.
struct FileRecord {
  std::uint64_t size = 0, xxh3 = 0;
  friend bool operator==(const FileRecord&, const FileRecord&) = default;
};

/// A new file that counts and hashes what is written to it.
class HashedFile {
 public:
  explicit HashedFile(const std::filesystem::path& path);
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  /// Blocks until the contents are on the disk.
  FileRecord finish();

 private:
  struct FreeState {
    void operator()(XXH3_state_s* state) const;
  };
  OutputFile file_;
  std::uint64_t size_ = 0;
  std::unique_ptr<XXH3_state_s, FreeState> state_;
};

/// Reads the whole file.
FileRecord record_of(const std::filesystem::path& path);

}  // namespace pleiad
