#include <fmt/format.h>
#include <minizip/unzip.h>

#include <array>
#include <memory>

#include "apps/data/npy.hpp"

namespace pleiad {
namespace {

struct CloseZip {
  void operator()(void* zip) const { ::unzClose(zip); }
};
using Zip = std::unique_ptr<void, CloseZip>;

void check(int status, const std::string& where) {
  if (status == UNZ_OK) return;
  throw_bad_data(where,
                 fmt::format("damaged zip data{}\nget the file again", status == UNZ_CRCERROR ? " (checksum)" : ""));
}

std::string current_name(unzFile zip, const std::string& where) {
  std::array<char, 512> name{};
  check(::unzGetCurrentFileInfo64(zip, nullptr, name.data(), name.size() - 1, nullptr, 0, nullptr, 0), where);
  return name.data();
}

/// Memory grows with what is decompressed, whatever the size in the directory.
std::vector<std::byte> read_current(unzFile zip, const std::string& where) {
  check(::unzOpenCurrentFile(zip), where);
  std::vector<std::byte> contents;
  constexpr std::size_t kChunk = std::size_t{1} << 20;
  for (int n = 1; n > 0;) {
    const auto size = contents.size();
    contents.resize(size + kChunk);
    n = ::unzReadCurrentFile(zip, contents.data() + size, kChunk);
    if (n < 0) check(n, where);
    contents.resize(size + static_cast<std::size_t>(n));
  }
  check(::unzCloseCurrentFile(zip), where);
  return contents;
}

}  // namespace

std::map<std::string, RawArray> read_npz(const std::filesystem::path& path) {
  const Zip zip(::unzOpen64(path.c_str()));
  if (!zip) check(UNZ_BADZIPFILE, path.string());
  std::map<std::string, RawArray> arrays;
  for (int status = ::unzGoToFirstFile(zip.get()); status != UNZ_END_OF_LIST_OF_FILE;
       status = ::unzGoToNextFile(zip.get())) {
    check(status, path.string());
    auto name = current_name(zip.get(), path.string());
    if (!name.ends_with(".npy")) continue;
    name.resize(name.size() - 4);
    const auto where = fmt::format("{}({})", path.string(), name);
    arrays.insert_or_assign(name, parse_npy(read_current(zip.get(), where), where));
  }
  return arrays;
}

}  // namespace pleiad
