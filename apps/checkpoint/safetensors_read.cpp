#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/checkpoint/safetensors.hpp"
#include "codelets/base/error.hpp"

namespace pleiad {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::uint64_t kMaxHeader = 100'000'000;  // the format's own limit

[[noreturn]] void throw_damaged(const std::filesystem::path& path, std::string_view what) {
  throw Error(Exit::data, fmt::format("{}: damaged: {}\nget the file again, or go back to an older checkpoint",
                                      path.string(), what));
}

/// What the header says of one tensor.
struct Entry {
  StoredTensor tensor;
  bool is_i64 = false;
  std::uint64_t begin = 0, end = 0;
};

/// Reads a file from front to back.
class Reader {
 public:
  explicit Reader(const std::filesystem::path& path) : path_(path), in_(path, std::ios::binary) {
    if (!in_ || std::filesystem::is_directory(path)) throw_io_error("read", path);
    size_ = std::filesystem::file_size(path);
  }

  TensorFile run() {
    const auto header = read_header();
    TensorFile file{path_, {}, {}};
    std::vector<Entry> entries;
    for (const auto& [name, value] : header.items()) {
      if (name == "__metadata__")
        file.metadata = read_metadata(value);
      else
        entries.push_back(read_entry(name, value));
    }
    std::ranges::sort(entries, {}, &Entry::begin);
    check_coverage(entries);
    for (Entry& e : entries) file.tensors.push_back(read_data(e));
    return file;
  }

 private:
  Json read_header() {
    std::uint64_t length = 0;
    if (size_ < kLengthBytes) throw_damaged(path_, fmt::format("it holds {} bytes", size_));
    read(&length, sizeof length);
    if (length > kMaxHeader || length > size_ - kLengthBytes)
      throw_damaged(path_, fmt::format("its header should take {} bytes, the file holds {}", length, size_));
    data_bytes_ = size_ - kLengthBytes - length;
    std::string text(length, '\0');
    read(text.data(), length);
    auto header = Json::parse(text, nullptr, false);
    if (!header.is_object()) throw_damaged(path_, "its header is not JSON");
    return header;
  }

  void read(void* out, std::uint64_t count) {
    in_.read(static_cast<char*>(out), static_cast<std::streamsize>(count));
    if (!in_) throw_damaged(path_, "it ends too early");
  }

  std::map<std::string, std::string> read_metadata(const Json& value) const {
    std::map<std::string, std::string> metadata;
    if (!value.is_object()) throw_damaged(path_, "__metadata__ is not an object");
    for (const auto& [key, text] : value.items()) {
      if (!text.is_string()) throw_damaged(path_, fmt::format("__metadata__.{} is not text", key));
      metadata[key] = text.get<std::string>();
    }
    return metadata;
  }

  Entry read_entry(const std::string& name, const Json& value) const {
    Entry entry;
    entry.tensor.name = name;
    if (!value.is_object() || !value.contains("dtype") || !value.contains("shape") || !value.contains("data_offsets"))
      throw_damaged(path_, fmt::format("tensor {} lacks dtype, shape or data_offsets", name));
    read_dtype(value["dtype"], entry);
    read_shape(value["shape"], entry);
    const auto offsets = read_numbers(value["data_offsets"]);
    if (!offsets || offsets->size() != 2 || (*offsets)[0] > (*offsets)[1] || (*offsets)[1] > data_bytes_)
      throw_damaged(path_, fmt::format("tensor {} lies outside of the {} bytes of data", name, data_bytes_));
    entry.begin = (*offsets)[0];
    entry.end = (*offsets)[1];
    check_size(entry);
    return entry;
  }

  void read_dtype(const Json& value, Entry& entry) const {
    const auto text = value.is_string() ? value.get<std::string>() : std::string("?");
    if (text == "F32")
      entry.tensor.dtype = DType::f32;
    else if (text == "F64")
      entry.tensor.dtype = DType::f64;
    else if (text == "BF16")
      entry.tensor.dtype = DType::bf16;
    else if (text == "I32" || text == "I64")
      entry.tensor.dtype = DType::i32;
    else
      throw Error(Exit::data, fmt::format("{}: tensor {} is {}; F32, F64, BF16, I32 and I64 can be read",
                                          path_.string(), entry.tensor.name, text));
    entry.is_i64 = text == "I64";
  }

  static std::optional<std::vector<std::uint64_t>> read_numbers(const Json& value) {
    std::vector<std::uint64_t> numbers;
    if (!value.is_array()) return {};
    for (const auto& n : value) {
      if (!n.is_number_unsigned()) return {};
      numbers.push_back(n.get<std::uint64_t>());
    }
    return numbers;
  }

  void read_shape(const Json& value, Entry& entry) const {
    const auto extents = read_numbers(value);
    if (!extents) throw_damaged(path_, fmt::format("the shape of tensor {} is not a list of sizes", entry.tensor.name));
    if (extents->size() > kMaxRank)
      throw Error(Exit::data, fmt::format("{}: tensor {} has {} dimensions; {} can be read", path_.string(),
                                          entry.tensor.name, extents->size(), kMaxRank));
    for (const auto e : *extents)
      if (e > data_bytes_ && e > 1)
        throw_damaged(path_, fmt::format("tensor {} is larger than the file", entry.tensor.name));
      else
        entry.tensor.shape.push_back(static_cast<Index>(e));
  }

  void check_size(const Entry& entry) const {
    std::uint64_t bytes = entry.is_i64 ? 8 : size_of(entry.tensor.dtype);
    for (const Index e : entry.tensor.shape) {
      const auto extent = static_cast<std::uint64_t>(e);
      const bool fits = extent == 0 || bytes <= std::numeric_limits<std::uint64_t>::max() / extent;
      bytes = fits ? bytes * extent : std::numeric_limits<std::uint64_t>::max();
    }
    if (bytes != entry.end - entry.begin)
      throw_damaged(path_, fmt::format("tensor {} ({}) has {} bytes of data", entry.tensor.name,
                                       to_string(entry.tensor.shape), entry.end - entry.begin));
  }

  /// The tensors must follow each other without overlap or hole, up to the end of the file.
  void check_coverage(const std::vector<Entry>& entries) const {
    std::uint64_t end = 0;
    for (const Entry& e : entries) {
      if (e.begin != end)
        throw_damaged(
            path_, fmt::format("tensor {} begins at byte {}, the one before ends at {}", e.tensor.name, e.begin, end));
      end = e.end;
    }
    if (end != data_bytes_)
      throw_damaged(path_, fmt::format("its tensors take {} bytes, the file holds {}", end, data_bytes_));
  }

  StoredTensor read_data(Entry& entry) {
    auto& tensor = entry.tensor;
    tensor.data.resize(entry.end - entry.begin);
    read(tensor.data.data(), tensor.data.size());
    if (entry.is_i64) narrow(tensor);
    return std::move(tensor);
  }

  void narrow(StoredTensor& tensor) const {
    std::vector<std::byte> narrowed(tensor.data.size() / 2);
    for (std::size_t i = 0; i < tensor.data.size() / 8; ++i) {
      std::int64_t wide = 0;
      std::memcpy(&wide, tensor.data.data() + 8 * i, 8);
      const auto narrow_value = static_cast<std::int32_t>(wide);
      if (narrow_value != wide)
        throw Error(Exit::data, fmt::format("{}: tensor {} holds {}, which takes more than 32 bits", path_.string(),
                                            tensor.name, wide));
      std::memcpy(narrowed.data() + 4 * i, &narrow_value, 4);
    }
    tensor.data = std::move(narrowed);
  }

  std::filesystem::path path_;
  std::ifstream in_;
  std::uint64_t size_ = 0, data_bytes_ = 0;
};

}  // namespace

const StoredTensor& TensorFile::at(std::string_view name, DType dtype, const Shape& shape) const {
  const auto found = std::ranges::find(tensors, name, &StoredTensor::name);
  if (found == tensors.end()) throw Error(Exit::data, fmt::format("{}: has no tensor {}", path.string(), name));
  if (found->dtype != dtype || found->shape != shape)
    throw Error(Exit::data,
                fmt::format("{}: tensor {} is {} {}, this training needs {} {}", path.string(), name,
                            name_of(found->dtype), to_string(found->shape), name_of(dtype), to_string(shape)));
  return *found;
}

TensorFile read_safetensors(const std::filesystem::path& path) { return Reader(path).run(); }

}  // namespace pleiad
