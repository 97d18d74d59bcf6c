#pragma once
#include <minizip/zip.h>
#include <zlib.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "temporary_folder.hpp"

namespace pleiad {

inline std::string big_endian(std::uint32_t x) {
  return {static_cast<char>(x >> 24), static_cast<char>(x >> 16), static_cast<char>(x >> 8), static_cast<char>(x)};
}

/// Contents of an IDX file of bytes.
inline std::string idx(const std::vector<std::uint32_t>& extents, const std::string& numbers) {
  std::string text{'\0', '\0', '\x08', static_cast<char>(extents.size())};
  for (const auto e : extents) text += big_endian(e);
  return text + numbers;
}

/// Contents of a .npy file.
inline std::string npy(const std::string& dict, const std::string& numbers) {
  return std::string("\x93NUMPY\x01", 7) + '\0' + static_cast<char>(dict.size()) + '\0' + dict + numbers;
}

template <class T>
std::string bytes_of(std::initializer_list<T> numbers) {
  return {reinterpret_cast<const char*>(std::data(numbers)), numbers.size() * sizeof(T)};
}

inline std::string write_gzip(const TemporaryFolder& folder, const std::string& name, const std::string& contents) {
  const auto path = folder.write(name, "");
  gzFile file = ::gzopen(path.c_str(), "wb");
  ::gzwrite(file, contents.data(), static_cast<unsigned>(contents.size()));
  ::gzclose(file);
  return path;
}

inline std::string write_npz(const TemporaryFolder& folder, const std::string& name,
                             const std::vector<std::pair<std::string, std::string>>& members) {
  const auto path = (folder.path() / name).string();
  zipFile zip = ::zipOpen(path.c_str(), APPEND_STATUS_CREATE);
  for (const auto& [member, contents] : members) {
    const zip_fileinfo info{};
    ::zipOpenNewFileInZip(zip, member.c_str(), &info, nullptr, 0, nullptr, 0, nullptr, Z_DEFLATED, 6);
    ::zipWriteInFileInZip(zip, contents.data(), static_cast<unsigned>(contents.size()));
    ::zipCloseFileInZip(zip);
  }
  ::zipClose(zip, nullptr);
  return path;
}

}  // namespace pleiad
