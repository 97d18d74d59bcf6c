#include "apps/checkpoint/hashed_file.hpp"

#include <xxhash.h>

#include <cerrno>
#include <fstream>
#include <vector>

namespace pleiad {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20;

}  // namespace

void HashedFile::FreeState::operator()(XXH3_state_s* state) const { XXH3_freeState(state); }

HashedFile::HashedFile(const std::filesystem::path& path)
    : file_(path, OutputFile::Mode::create), state_(XXH3_createState()) {
  XXH3_64bits_reset(state_.get());
}

void HashedFile::write(std::span<const std::byte> bytes) {
  file_.write(bytes);
  size_ += bytes.size();
  XXH3_64bits_update(state_.get(), bytes.data(), bytes.size());
}

FileRecord HashedFile::finish() {
  file_.sync();
  file_.close();
  return {size_, XXH3_64bits_digest(state_.get())};
}

FileRecord record_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw_io_error("read", path);
  struct FreeState {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };
  const std::unique_ptr<XXH3_state_t, FreeState> state(XXH3_createState());
  XXH3_64bits_reset(state.get());
  std::vector<char> block(kBlock);
  std::uint64_t size = 0;
  while (in) {
    in.read(block.data(), kBlock);
    const auto n = static_cast<std::size_t>(in.gcount());
    XXH3_64bits_update(state.get(), block.data(), n);
    size += n;
  }
  if (in.bad()) throw_io_error("read", path);
  return {size, XXH3_64bits_digest(state.get())};
}

}  // namespace pleiad
