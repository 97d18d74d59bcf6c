#pragma once
#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/checkpoint/hashed_file.hpp"
#include "codelets/base/dtype.hpp"
#include "codelets/base/shape.hpp"

namespace pleiad {

/// A whole tensor to be written; the data are borrowed, row-major.
struct NamedTensor {
  std::string name;
  DType dtype = DType::f32;
  Shape shape;
  std::span<const std::byte> data;
};

/// A whole tensor that was read.
struct StoredTensor {
  std::string name;
  DType dtype = DType::f32;
  Shape shape;
  std::vector<std::byte> data;
};

/// Contents of a .safetensors file.
struct TensorFile {
  std::filesystem::path path;
  std::map<std::string, std::string> metadata;
  std::vector<StoredTensor> tensors;  // in the order of the file

  /// Error (data) naming the file and what it has if there is no such tensor or it is of another shape or type.
  const StoredTensor& at(std::string_view name, DType dtype, const Shape& shape) const;
};

/// Format: 8 bytes of header length, a JSON header, the data. Tensors with wide elements come first, so that each is
/// aligned in the file. Error (data) if it cannot be written.
FileRecord write_safetensors(const std::filesystem::path& path, std::span<const NamedTensor> tensors,
                             const std::map<std::string, std::string>& metadata = {});

/// Error (data) for anything that is not exactly right: lengths, types, offsets that overlap or leave holes. Reads F32,
/// F64, BF16, I32, and I64 whose numbers fit into 32 bits. Never allocates more than the size of the file, twice.
TensorFile read_safetensors(const std::filesystem::path& path);

}  // namespace pleiad
