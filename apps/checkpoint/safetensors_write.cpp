#include <algorithm>
#include <array>
#include <cassert>
#include <nlohmann/json.hpp>

#include "apps/checkpoint/safetensors.hpp"

namespace pleiad {
namespace {

using Json = nlohmann::ordered_json;

std::string_view stored_name(DType dtype) {
  static constexpr std::array<std::string_view, 4> kNames = {"F32", "F64", "BF16", "I32"};
  return kNames[static_cast<std::size_t>(dtype)];
}

std::vector<NamedTensor> widest_first(std::span<const NamedTensor> tensors) {
  std::vector<NamedTensor> sorted(tensors.begin(), tensors.end());
  std::ranges::stable_sort(sorted, std::ranges::greater{}, [](const NamedTensor& t) { return size_of(t.dtype); });
  return sorted;
}

/// Padded with spaces, so that the data begin at a multiple of 8 bytes.
std::string header_of(std::span<const NamedTensor> tensors, const std::map<std::string, std::string>& metadata) {
  Json header = Json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::size_t offset = 0;
  for (const NamedTensor& t : tensors) {
    assert(t.data.size() == static_cast<std::size_t>(t.shape.volume()) * size_of(t.dtype));
    header[t.name] = {{"dtype", stored_name(t.dtype)},
                      {"shape", std::vector<Index>(t.shape.begin(), t.shape.end())},
                      {"data_offsets", {offset, offset + t.data.size()}}};
    offset += t.data.size();
  }
  auto text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  return text;
}

}  // namespace

FileRecord write_safetensors(const std::filesystem::path& path, std::span<const NamedTensor> tensors,
                             const std::map<std::string, std::string>& metadata) {
  const auto sorted = widest_first(tensors);
  const auto header = header_of(sorted, metadata);
  const std::uint64_t length = header.size();
  HashedFile file(path);
  file.write(std::as_bytes(std::span(&length, 1)));
  file.write(header);
  for (const NamedTensor& t : sorted) file.write(t.data);
  return file.finish();
}

}  // namespace pleiad
